"""The provider: what stands under "stopover" in the toolbox."""
from qgis.core import QgsProcessingProvider

from .count_trips import CountTrips
from .load_release import LoadRelease
from .zone_counts import ZoneCounts
from .zone_flows import ZoneFlows


class Provider(QgsProcessingProvider):
    def id(self):
        return "stopover"

    def name(self):
        return "stopover"

    def longName(self):
        return "stopover: trips published under differential privacy"

    def loadAlgorithms(self):
        for algorithm in (LoadRelease, ZoneCounts, ZoneFlows, CountTrips):
            self.addAlgorithm(algorithm())
