-- Folding the title and key of each new state was half of what creating a device cost. The server now folds each text of a
-- driver once and writes it; the triggers fill it in when it is missing or out of date.
alter table states alter column search drop expression;

create function states_fold() returns trigger language plpgsql as $$
begin
  new.search := fold(E'\n' || new.title || E'\n' || new.key || E'\n');
  return new;
end $$;
create trigger states_fold_new before insert on states
  for each row when (new.search is null) execute function states_fold();
create trigger states_fold_changed before update of title, key on states
  for each row when (old.title <> new.title or old.key <> new.key) execute function states_fold();
