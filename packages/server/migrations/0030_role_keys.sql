-- Which role of the platform a role is, as long as nobody has written a name or description of his own: people are shown
-- these in their language.
alter table roles add column key text unique;

update roles set key = delivered.key
from (values
  ('systemAdministrator', 'System administrator', 'Everything, including the installation itself'),
  ('accountAdministrator', 'Account administrator', 'Everything in the account and below it, users included'),
  ('deviceManager', 'Device manager', 'Connectors, drivers, devices and twins'),
  ('operator', 'Operator', 'Works with devices, twins and dashboards without setting up connections'),
  ('viewer', 'Viewer', 'Sees devices, twins and dashboards'),
  ('facilityManager', 'Facility manager', 'Tickets and door keys of the buildings'),
  ('ticketReporter', 'Ticket reporter', 'Reports what is broken'),
  ('keyHolder', 'Key holder', 'Opens doors with virtual keys'),
  ('influxDbRead', 'InfluxDBRead', 'Reads time series through queries'),
  ('facilityUser', 'Facility user', 'Given to new users of accounts that give them this module'),
  ('warningViewer', 'Warning viewer', 'Given to new users of accounts that give them this module'),
  ('assetViewer', 'Asset viewer', 'Given to new users of accounts that give them this module'),
  ('dashboardViewer', 'Dashboard viewer', 'Given to new users of accounts that give them this module'),
  ('dataHubViewer', 'Data hub viewer', 'Given to new users of accounts that give them this module')
) as delivered (key, name, description)
where roles.account_id is null and roles.name = delivered.name and roles.description = delivered.description;
