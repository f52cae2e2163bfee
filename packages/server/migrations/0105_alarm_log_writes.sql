-- Planning the reading of the outbox took longer than reading it: one plan is made for each connection.
alter function outbox_batch(text[], xid8, bigint, integer, integer, integer[]) set plan_cache_mode = force_generic_plan;
alter function outbox_lane(text[], integer, xid8, bigint, xid8, bigint, integer, integer) set plan_cache_mode = force_generic_plan;

-- The alarm log is searched together with what its alarms are about, which no index of it can do.
drop index alarms_search;
-- Only alarms of rules have one.
drop index alarms_rule;
create index alarms_rule on alarms (rule_id) where rule_id is not null;
drop index alarms_open;
create unique index alarms_open on alarms (rule_id, twin_id) where resolved_at is null and rule_id is not null;
