// node crawlee.js FOLDER URL CONNECTIONS: CheerioCrawler as in the guide's "CheerioCrawler",
// with the queue in memory only. FOLDER holds the node_modules.
const [folder, url, connections] = process.argv.slice(2);
const { CheerioCrawler, Configuration, log } = require('module').createRequire(folder + '/')('@crawlee/cheerio');

log.setLevel(log.LEVELS.ERROR);
const crawler = new CheerioCrawler({
  minConcurrency: Number(connections),
  maxConcurrency: Number(connections),
  async requestHandler({ enqueueLinks }) {
    await enqueueLinks();
  },
}, new Configuration({ persistStorage: false }));
crawler.run([url]);
