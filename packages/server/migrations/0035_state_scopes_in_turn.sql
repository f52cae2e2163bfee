-- A state that is made while its twin moves to another scope waits for the end of the move: else it would keep a copy of
-- the scope it was in. Devices are made together with their twins, which nobody can move yet.

create or replace function states_copy() returns trigger language plpgsql as $$
begin
  select scope_id, category = 'virtualDevice' into new.scope_id, new.of_device
    from twins where id = new.twin_id for share;
  return new;
end $$;
