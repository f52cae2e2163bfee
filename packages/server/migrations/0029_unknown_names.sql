-- Attempts to sign in with names nobody has, counted as those of users are: neither an answer nor its time tells who is
-- there. Only a hash of the name is kept, as people type passwords into the wrong field.
create table unknown_names (
  name_hash bytea primary key,
  failed_logins integer not null,
  locked_until timestamptz,
  at timestamptz not null
);
create index unknown_names_at on unknown_names (at);
