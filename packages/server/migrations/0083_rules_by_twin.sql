-- What a rule remembers, did and waits for belongs to the rule and a twin: a rule for many runs on each of its twins.
alter table rule_live add column twin_id integer references twins (id) on delete cascade;
update rule_live l set twin_id = r.twin_id from rules r where r.id = l.rule_id;
alter table rule_live alter column twin_id set not null, drop constraint rule_live_pkey, add primary key (rule_id, twin_id);
create index rule_live_twin on rule_live (twin_id);

alter table rule_executions add column twin_id integer references twins (id) on delete cascade;
update rule_executions e set twin_id = r.twin_id from rules r where r.id = e.rule_id;
alter table rule_executions
  alter column twin_id set not null,
  drop constraint rule_executions_rule_id_event_id_key,
  add unique (rule_id, twin_id, event_id);
drop index rule_executions_quiet;
create unique index rule_executions_quiet on rule_executions (rule_id, twin_id, result)
  where result in ('not_met', 'aborted', 'outside_times');
create index rule_executions_twin on rule_executions (twin_id);

alter table rule_watches add column twin_id integer references twins (id) on delete cascade;
update rule_watches w set twin_id = r.twin_id from rules r where r.id = w.rule_id;
alter table rule_watches
  alter column twin_id set not null,
  drop constraint rule_watches_pkey,
  add primary key (rule_id, twin_id, kind, object_id);
create index rule_watches_twin on rule_watches (twin_id);

alter table rule_due add column twin_id integer references twins (id) on delete cascade;
update rule_due d set twin_id = r.twin_id from rules r where r.id = d.rule_id;
alter table rule_due alter column twin_id set not null, drop constraint rule_due_pkey, add primary key (rule_id, twin_id, trigger);
create index rule_due_twin on rule_due (twin_id);

drop index alarms_open;
create unique index alarms_open on alarms (rule_id, twin_id) where resolved_at is null;
