-- Every event has the version of its payload, so that a newer server can upgrade what an older one has written.
alter table outbox add column version smallint not null default 1;
alter table outbox_failures add column version smallint not null default 1;

-- Topics are noun.verb.
update outbox set topic = 'downlink.reported' where topic = 'network.downlink_reported';
update outbox set topic = 'health.changed' where topic = 'device.health_changed';
update outbox_failures set topic = 'downlink.reported' where topic = 'network.downlink_reported';
update outbox_failures set topic = 'health.changed' where topic = 'device.health_changed';
