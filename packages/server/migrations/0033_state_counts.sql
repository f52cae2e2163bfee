-- States are counted by where their twins lie without joining all of them.
alter table states
  add column scope_id integer not null default 0,
  add column of_device boolean not null default false;
update states s set scope_id = t.scope_id, of_device = t.category = 'virtualDevice' from twins t where t.id = s.twin_id;
create index states_scope on states (of_device, scope_id);

create function states_copy() returns trigger language plpgsql as $$
begin
  select scope_id, category = 'virtualDevice' into new.scope_id, new.of_device from twins where id = new.twin_id;
  return new;
end $$;
create trigger states_copy before insert or update of twin_id on states for each row execute function states_copy();

create function twins_copy_to_states() returns trigger language plpgsql as $$
begin
  update states set scope_id = new.scope_id where twin_id = new.id;
  return null;
end $$;
create trigger twins_copy_to_states after update of scope_id on twins
  for each row when (old.scope_id is distinct from new.scope_id) execute function twins_copy_to_states();
