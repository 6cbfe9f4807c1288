"""scrapy runspider site_spider.py -a url=URL: a CrawlSpider that follows every link, as in the
documentation's "CrawlSpider example". Settings are given on the command line."""

from urllib.parse import urlsplit

from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule


class Site(CrawlSpider):
    name = "site"
    rules = (Rule(LinkExtractor(tags=("a",)), callback="parse_page", follow=True),)

    def __init__(self, url, **kwargs):
        super().__init__(**kwargs)
        self.start_urls = [url]
        self.allowed_domains = [urlsplit(url).hostname]

    def parse_page(self, response):
        """Nothing is kept of a page."""
