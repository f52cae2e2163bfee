-- Who works with devices, or looks at them, sees the templates they are linked to.
update roles set rules = rules || '[{"subject": "DeviceTemplate", "actions": ["read", "list"]}]'::jsonb
where key in ('operator', 'viewer') and not rules @> '[{"subject": "DeviceTemplate"}]'::jsonb;
