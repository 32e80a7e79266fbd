"""The plugin: it brings its provider, and takes it along when it goes."""
from qgis.core import QgsApplication

from .provider import Provider


class Plugin:
    def __init__(self):
        self.provider = None

    def initProcessing(self):
        self.provider = Provider()
        QgsApplication.processingRegistry().addProvider(self.provider)

    def initGui(self):
        self.initProcessing()

    def unload(self):
        QgsApplication.processingRegistry().removeProvider(self.provider)
