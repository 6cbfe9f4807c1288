// Opens a WACZ in ReplayWeb.page and a live page in chromium, and prints title and number of
// links of both. usage: node replay.cjs CHROMIUM PUPPETEER LIVE-URL REPLAY-URL
const [chromium, puppeteerPath, live, replay] = process.argv.slice(2);

const seen = (frame) => frame.evaluate(() => ({ title: document.title, links: document.querySelectorAll("a[href]").length }));

(async () => {
  const puppeteer = await import(puppeteerPath);
  const browser = await puppeteer.launch({ executablePath: chromium, headless: true, args: ["--no-sandbox", "--no-proxy-server"] });
  try {
    const page = await browser.newPage();
    await page.goto(live);
    const want = await seen(page);
    await page.goto(replay);
    const until = Date.now() + 60000;
    for (;;) {
      const frame = page.frames().find((f) => f.url().includes("mp_/"));
      const got = frame && (await seen(frame).catch(() => null));
      if (got && got.links > 0 && got.title) {
        console.log(JSON.stringify({ live: want, replay: got }));
        return;
      }
      if (Date.now() > until) throw new Error("no page is replayed: " + page.frames().map((f) => f.url()).join(" "));
      await page.waitForNetworkIdle({ idleTime: 100, timeout: 5000 }).catch(() => null);
    }
  } finally {
    await browser.close();
  }
})().catch((e) => {
  console.error(e.message);
  process.exit(1);
});
