// Reads files with warcio.js, which must find as many records as it is told, computes the digest of
// each block anew, and prints how many there are and how many differ.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { pathToFileURL } from "node:url";

const { WARCParser } = await import(pathToFileURL(process.argv[2]).href);

function base32(bytes) {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  let out = "", value = 0, bits = 0;
  for (const b of bytes) {
    value = (value << 8) | b;
    for (bits += 8; bits >= 5; bits -= 5) out += letters[(value >>> (bits - 5)) & 31];
    value &= (1 << bits) - 1;
  }
  return out;
}

let records = 0, wrong = 0;
for (const file of process.argv.slice(3)) {
  for await (const record of new WARCParser(createReadStream(file), { parseHttp: false })) {
    const sum = createHash("sha1");
    for await (const chunk of record) sum.update(chunk);
    records++;
    if (record.warcHeader("WARC-Block-Digest") !== "sha1:" + base32(sum.digest())) wrong++;
  }
}
console.log(`${records} records, ${wrong} wrong block digests`);
