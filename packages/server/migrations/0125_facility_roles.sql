-- Roles for assets and monitors that an installation from before this does not have yet; a new one gets them at its first start.
insert into roles (account_id, name, key, description, icon, rules, module)
select null, role.name, role.key, role.description, role.icon, role.rules::jsonb, role.module
from (values
  ('Warning viewer', 'warningViewer', 'Shows monitors on a wall', 'bell',
    '[{"subject":"IsWarnapp","actions":["read"]}]', 'warnapp'),
  ('Asset viewer', 'assetViewer', 'Looks where assets are', 'eye',
    '[{"subject":"IsAssetMgmt","actions":["read","list"]}]', 'assets')
) as role (name, key, description, icon, rules, module)
where exists (select from accounts)
on conflict do nothing;

-- Who manages facilities manages all of them, as long as nobody has edited the role.
update roles
set description = 'Tickets, keys, assets and monitors of the buildings',
  rules = rules || '[{"subject":"IsAssetMgmt","actions":["manage"]},{"subject":"IsWarnapp","actions":["manage"]},{"subject":"VirtualDevice","actions":["read","list"]}]'::jsonb
where key = 'facilityManager' and rules = '[{"subject":"IsFmAccess","actions":["manage"]},{"subject":"IsFmTicket","actions":["manage"]},{"subject":"DigitalTwin","actions":["read","list"]},{"subject":"DigitalTwinStates","actions":["read","list"]},{"subject":"Dashboards","actions":["read","list"]},{"subject":"InfluxDB","actions":["read"]}]'::jsonb;
