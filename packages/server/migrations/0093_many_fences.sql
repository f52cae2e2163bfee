-- Geofences of rules for many: each of the rule's twins is compared on its own.
alter table rule_fences add column many boolean not null default false;

-- A position of the twin was compared with all geofences of the rule up to this one; null: with none since it is one of its twins.
alter table rule_members add column fence_id integer;
