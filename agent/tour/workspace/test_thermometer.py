import unittest

from thermometer import report, to_celsius, to_fahrenheit


class Thermometer(unittest.TestCase):
    def test_water_freezes(self):
        self.assertEqual(to_celsius(32), 0)

    def test_water_boils(self):
        self.assertEqual(to_fahrenheit(100), 212)

    def test_the_report_names_every_station(self):
        self.assertEqual(report("stations.csv"), ["Harbour: 10.0 C", "Summit: -5.0 C", "Valley: 20.0 C"])


if __name__ == "__main__":
    unittest.main()
