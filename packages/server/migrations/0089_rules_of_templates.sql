-- A rule of a template is one rule for all devices that conform to it, no longer a copy on each. It belongs to the template and to
-- no twin; `rule_members` has its devices. While devices are brought in line there are two for one rule of the template, one as it
-- was and one as it is.
alter table rules
  alter column twin_id drop not null,
  add column template_id integer references device_templates (id) on delete cascade;
drop index rules_template_rule;

-- Times that wake such a rule on all of its devices belong to none of them.
alter table rule_due drop constraint rule_due_pkey, alter column twin_id drop not null;
create unique index rule_due_key on rule_due (rule_id, twin_id, trigger) nulls not distinct;

-- Whether alarms name a rule is asked when it is deleted.
create index alarms_rule on alarms (rule_id);

-- Each copy, and the one of those with the same content that goes on for all.
create temporary table copies on commit drop as
with read as (
  select r.id, r.twin_id, v.template_id, r.template_rule, r.title, r.active, r.paused_until, r.throttle_hours, r.triggers,
    r.conditions, r.execution_times,
    (select jsonb_agg(case when m ? 'stateId'
        then m - 'stateId' || jsonb_build_object('operation', 'related', 'of', 'own', 'stateKey', s.key, 'over', m ->> 'operation')
        else m end order by n)
      from jsonb_array_elements(r.metrics) with ordinality as e (m, n)
      left join states s on s.id = (m ->> 'stateId')::int) as metrics,
    (select jsonb_agg(case when a ? 'stateId' then a - 'stateId' || jsonb_build_object('stateKey', s.key) else a end order by n)
      from jsonb_array_elements(r.actions) with ordinality as e (a, n)
      left join states s on s.id = (a ->> 'stateId')::int) as actions
  from rules r join virtual_devices v on v.twin_id = r.twin_id
  where r.template_rule is not null and v.template_id is not null)
select *, min(id) over (partition by template_id, template_rule, title, active, paused_until, throttle_hours, triggers, conditions,
  execution_times, metrics, actions) as kept_id
from read;
create unique index on copies (id);
analyze copies;

-- The states of metrics, on each device.
insert into rule_members (rule_id, twin_id) select kept_id, twin_id from copies;
insert into rule_inputs (rule_id, twin_id, alias, state_id, wakes)
select c.kept_id, c.twin_id, m ->> 'alias', s.id, t.state_id is not null
from copies c join rules r on r.id = c.id
cross join lateral jsonb_array_elements(r.metrics) as m
join states s on s.id = (m ->> 'stateId')::int
left join rule_triggers t on t.rule_id = c.id and t.state_id = s.id;
delete from rule_triggers using copies c where rule_id = c.id;
delete from uses using copies c where user_kind = 'rule' and user_id = c.id and used_kind = 'state';

-- What copies remember, did and wait for.
update rule_live l set rule_id = c.kept_id from copies c where l.rule_id = c.id and c.kept_id <> c.id;
update rule_executions e set rule_id = c.kept_id from copies c where e.rule_id = c.id and c.kept_id <> c.id;
update alarms a set rule_id = c.kept_id from copies c where a.rule_id = c.id and c.kept_id <> c.id;
update rule_escalations e set rule_id = c.kept_id from copies c where e.rule_id = c.id and c.kept_id <> c.id;
update rule_past_runs p set rule_id = c.kept_id from copies c where p.rule_id = c.id and c.kept_id <> c.id;
update rule_watches w set rule_id = c.kept_id from copies c where w.rule_id = c.id and c.kept_id <> c.id;
update rule_due d set twin_id = null from copies c where d.rule_id = c.id and c.kept_id = c.id and d.state_id is null;
update rule_due d set rule_id = c.kept_id from copies c where d.rule_id = c.id and c.kept_id <> c.id and d.state_id is not null;
insert into rule_days as d (rule_id, day, evaluations, fired, errors, duration_us)
select c.kept_id, o.day, sum(o.evaluations), sum(o.fired), sum(o.errors), sum(o.duration_us)
from copies c join rule_days o on o.rule_id = c.id where c.kept_id <> c.id group by 1, 2
on conflict (rule_id, day) do update set evaluations = d.evaluations + excluded.evaluations, fired = d.fired + excluded.fired,
  errors = d.errors + excluded.errors, duration_us = d.duration_us + excluded.duration_us;

delete from rules r using copies c where r.id = c.id and c.kept_id <> c.id;
update rules r set twin_id = null, template_id = c.template_id, metrics = c.metrics, actions = c.actions,
  many = jsonb_build_object('query', jsonb_build_object('templateIds', jsonb_build_array(c.template_id)), 'except', '[]'::jsonb),
  version = r.version + 1
from copies c where r.id = c.id;
-- Devices that have no template any more keep what is left as their own.
update rules set template_rule = null where template_id is null and template_rule is not null;

-- Rules that name copies.
update rules r set
  actions = (
    select jsonb_agg(case when c.id is null then a else a || jsonb_build_object('ruleId', c.kept_id) end order by n)
    from jsonb_array_elements(r.actions) with ordinality as e (a, n) left join copies c on c.id = (a ->> 'ruleId')::int),
  triggers = (
    select jsonb_agg(case when c.id is null then t else t || jsonb_build_object('ruleId', c.kept_id) end order by n)
    from jsonb_array_elements(r.triggers) with ordinality as e (t, n) left join copies c on c.id = (t ->> 'ruleId')::int),
  version = r.version + 1
where jsonb_path_exists(r.actions, '$[*].ruleId') or jsonb_path_exists(r.triggers, '$[*].ruleId');
insert into rule_watches (rule_id, twin_id, kind, object_id, below)
select w.rule_id, w.twin_id, w.kind, c.kept_id, w.below from rule_watches w join copies c on c.id = w.object_id
where w.kind = 'rule' and c.kept_id <> c.id
on conflict do nothing;
delete from rule_watches w using copies c where w.kind = 'rule' and w.object_id = c.id and c.kept_id <> c.id;

alter table rules
  add constraint rules_home check ((twin_id is null) = (template_id is not null)),
  add constraint rules_template check ((template_id is null) = (template_rule is null));
create index rules_of_template on rules (template_id, template_rule) where template_id is not null;

-- A rule of a template goes with its last device, unless it leaves others out. First it is locked: a device that comes
-- meanwhile keeps it.
create function delete_rules_without_devices() returns trigger language plpgsql as $$
declare
  ids integer[];
begin
  select array_agg(id) into ids from (
    select id from rules where template_id is not null and id in (select rule_id from changed) order by id for update) as r;
  delete from rules r where r.id = any(ids) and jsonb_array_length(r.many -> 'except') = 0
    and not exists (select from rule_members m where m.rule_id = r.id);
  return null;
end $$;
create trigger rule_members_last after delete on rule_members referencing old table as changed
  for each statement execute function delete_rules_without_devices();

-- Changes of single devices of such rules are announced with the devices, so that caches read only these again.
create function notify_rule_places() returns trigger language plpgsql as $$
declare
  rule_ids text;
  twin_ids text;
begin
  select case when count(distinct r.id) <= 200 then string_agg(distinct r.id::text, ',') else '*' end into rule_ids
  from changed c join rules r on r.id = c.rule_id where r.template_id is null;
  select case when count(distinct c.twin_id) <= 200 then string_agg(distinct c.twin_id::text, ',') else '*' end into twin_ids
  from changed c join rules r on r.id = c.rule_id where r.template_id is not null;
  if rule_ids is not null then
    perform pg_notify('config_changed', tg_table_name || ':' || rule_ids);
  end if;
  if twin_ids is not null then
    perform pg_notify('config_changed', 'rule_places:' || twin_ids);
  end if;
  return null;
end $$;
drop trigger rule_members_notice_insert on rule_members;
drop trigger rule_members_notice_delete on rule_members;
drop trigger rule_inputs_notice_insert on rule_inputs;
drop trigger rule_inputs_notice_update on rule_inputs;
drop trigger rule_inputs_notice_delete on rule_inputs;
create trigger rule_members_notice_insert after insert on rule_members referencing new table as changed
  for each statement execute function notify_rule_places();
create trigger rule_members_notice_delete after delete on rule_members referencing old table as changed
  for each statement execute function notify_rule_places();
create trigger rule_inputs_notice_insert after insert on rule_inputs referencing new table as changed
  for each statement execute function notify_rule_places();
create trigger rule_inputs_notice_update after update on rule_inputs referencing new table as changed
  for each statement execute function notify_rule_places();
create trigger rule_inputs_notice_delete after delete on rule_inputs referencing old table as changed
  for each statement execute function notify_rule_places();
