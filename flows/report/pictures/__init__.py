"""PNG pictures of plotly's figures: by a browser where one is there, else by matplotlib."""
