// node spider.js FOLDER URL CONNECTIONS: Website.crawl without a callback for the pages,
// which is the fastest way the README knows. FOLDER holds the node_modules; the number of
// connections is spider's own.
const [folder, url] = process.argv.slice(2);
const { Website } = require('module').createRequire(folder + '/')('@spider-rs/spider-rs');

new Website(url).withRespectRobotsTxt(true).withDepth(0).build().crawl();
