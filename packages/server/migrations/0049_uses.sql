-- What definitions refer to by an id inside of JSON: rules their states, widgets their states and twins. References in
-- columns have foreign keys and indexes of their own and are not written here a second time.
create table uses (
  user_kind text not null,
  user_id integer not null,
  -- 'twin' is a digital twin or a virtual device: both have their ids from `twins`
  used_kind text not null,
  used_id integer not null,
  -- what for, e.g. 'reads' or 'sets'
  note text not null,
  primary key (user_kind, user_id, used_kind, used_id, note)
);
create index uses_used on uses (used_kind, used_id, user_kind, user_id);

insert into uses (user_kind, user_id, used_kind, used_id, note)
select 'rule', r.id, 'state', (m ->> 'stateId')::int, 'reads'
from rules r, jsonb_array_elements(r.metrics) as m
union
select 'rule', r.id, 'state', (a ->> 'stateId')::int, 'sets'
from rules r, jsonb_array_elements(r.actions) as a where a ->> 'kind' = 'set-state';

insert into uses (user_kind, user_id, used_kind, used_id, note)
select distinct 'widget', w.id, 'state', (s #>> '{}')::int, 'shows'
from widgets w, jsonb_path_query(w.config, 'strict $.**.stateIds[*]', '{}', true) as s
union
select distinct 'widget', w.id, 'twin', (t #>> '{}')::int, 'shows'
from widgets w, jsonb_path_query(w.config, 'strict $.**.twinIds[*]', '{}', true) as t
union
select distinct 'widget', w.id, 'twin', (p #>> '{}')::int, 'below'
from widgets w, jsonb_path_query(w.config, 'strict $.**.parentTwinId', '{}', true) as p
where jsonb_typeof(p) = 'number';

-- Rules go with their twin and widgets with their dashboard: whatever deletes them, their rows go in the same statement.
create function delete_uses() returns trigger language plpgsql as $$
begin
  delete from uses where user_kind = tg_argv[0] and user_id in (select id from gone);
  return null;
end $$;
create trigger rules_delete_uses after delete on rules referencing old table as gone
  for each statement execute function delete_uses('rule');
create trigger widgets_delete_uses after delete on widgets referencing old table as gone
  for each statement execute function delete_uses('widget');

drop index widgets_states;
drop index rules_actions;
