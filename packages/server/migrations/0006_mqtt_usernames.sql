-- All connectors of the built-in broker share one port: a user name tells whose messages they are.
create unique index connectors_mqtt_username on connectors ((settings ->> 'username')) where kind = 'mqtt-broker';
