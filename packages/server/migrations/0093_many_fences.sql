-- Geofences of rules for many: each of the rule's twins is compared on its own.
alter table rule_fences add column many boolean not null default false;

-- A position of the twin was compared with all geofences of the rule up to this one; null: with none since it is one of its twins.
alter table rule_members add column fence_id integer;

-- The mails that reminded of an alarm are shown with the execution that raised it.
create index mails_of_alarms on mails (((origin ->> 'alarmId')::bigint), created_at) where origin ? 'alarmId';

-- The states of children that a run on the past reads, as the tree was when it was started: {"draft": {alias: [state, …]}, "stored": {…}}.
alter table rule_past_runs add column children jsonb not null default '{}';
