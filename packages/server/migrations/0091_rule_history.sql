-- Executions lie in months, so that what is older than every retention is dropped as a whole. Evaluations that did nothing
-- have a table of their own, with the last of each kind only: it is rewritten in place.
create sequence rule_execution_ids;

alter table rule_live
  -- of the last evaluation: an event that is delivered again is not evaluated again
  add column last_event_id bigint;
update rule_live l set last_event_id = e.event_id
from (select distinct on (rule_id, twin_id) rule_id, twin_id, event_id from rule_executions order by rule_id, twin_id, id desc) e
where e.rule_id = l.rule_id and e.twin_id = l.twin_id;

alter table rule_executions rename to rule_executions_before;
create table rule_executions (
  id bigint not null default nextval('rule_execution_ids'),
  rule_id integer not null,
  twin_id integer not null,
  -- the outbox event that woke it: the same event is never evaluated twice
  event_id bigint not null,
  at timestamptz not null,
  -- fired, throttled, error
  result text not null,
  inputs jsonb not null,
  -- the condition tree with what each node answered
  branch jsonb not null,
  actions jsonb not null default '[]',
  error text,
  duration_us integer not null,
  cause jsonb,
  woken jsonb,
  open boolean not null default false,
  failed boolean not null default false
) partition by range (at);

create table rule_quiet (
  rule_id integer not null references rules (id) on delete cascade,
  twin_id integer not null references twins (id) on delete cascade,
  -- not_met, aborted, outside_times
  result text not null,
  -- as in rule_executions
  id bigint not null default nextval('rule_execution_ids'),
  event_id bigint not null,
  at timestamptz not null,
  inputs jsonb not null,
  branch jsonb not null,
  error text,
  duration_us integer not null,
  cause jsonb,
  woken jsonb,
  primary key (rule_id, twin_id, result)
) with (fillfactor = 60);
create index rule_quiet_twin on rule_quiet (twin_id);

select ensure_month_partition('rule_executions', month::date)
from (select distinct date_trunc('month', at at time zone 'UTC') as month from rule_executions_before
      where result not in ('not_met', 'aborted', 'outside_times')) months;
insert into rule_executions
  (id, rule_id, twin_id, event_id, at, result, inputs, branch, actions, error, duration_us, cause, woken, open, failed)
select id, rule_id, twin_id, event_id, at, result, inputs, branch, actions, error, duration_us, cause, woken, open, failed
from rule_executions_before where result not in ('not_met', 'aborted', 'outside_times');
insert into rule_quiet
  (rule_id, twin_id, result, id, event_id, at, inputs, branch, error, duration_us, cause, woken)
select rule_id, twin_id, result, id, event_id, at, inputs, branch, error, duration_us, cause, woken
from rule_executions_before where result in ('not_met', 'aborted', 'outside_times');
select setval('rule_execution_ids', (select coalesce(max(id), 0) + 1 from rule_executions_before), false);
drop table rule_executions_before;

alter table rule_executions
  add primary key (id, at),
  add unique (rule_id, twin_id, event_id, at),
  add foreign key (rule_id) references rules (id) on delete cascade,
  add foreign key (twin_id) references twins (id) on delete cascade;
create index rule_executions_rule on rule_executions (rule_id, at desc, id desc);
create index rule_executions_twin on rule_executions (twin_id);
create index rule_executions_at on rule_executions (at);
create index rule_executions_open on rule_executions (id) where open;
create index rule_executions_failed on rule_executions (at desc, id desc) where failed or result = 'error';

-- Every evaluation that is kept.
create view rule_history as
select id, rule_id, twin_id, event_id, at, result, inputs, branch, actions, error, duration_us, cause, woken, open, failed
from rule_executions
union all
select id, rule_id, twin_id, event_id, at, result, inputs, branch, '[]'::jsonb, error, duration_us, cause, woken, false, false
from rule_quiet;
