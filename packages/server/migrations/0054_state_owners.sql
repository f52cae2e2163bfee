-- Statements that add many states read the scope of each twin once, instead of once for each state. Without a scope,
-- the trigger reads it.

drop trigger states_copy on states;
create trigger states_copy_new before insert on states for each row when (new.scope_id = 0) execute function states_copy();
create trigger states_copy_moved before update of twin_id on states for each row execute function states_copy();
