"""How declared results are written: text, CSV, JSON, HTML, Prometheus, Nagios, mail."""
