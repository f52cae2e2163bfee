-- The log of locks is not emptied either. It takes nothing from older nodes, which do not know the table.
create function guard_lock_log() returns trigger language plpgsql as $$
begin
  raise exception 'the log of locks is not emptied';
end $$;
create trigger lock_activations_guard_all before truncate on lock_activations
  for each statement execute function guard_lock_log();
