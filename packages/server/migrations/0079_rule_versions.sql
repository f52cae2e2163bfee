-- What rules looked like after each change; a bounded number for each rule.
create table rule_versions (
  rule_id integer not null references rules (id) on delete cascade,
  version integer not null,
  at timestamptz not null,
  -- null: not known
  by text,
  fields jsonb not null,
  primary key (rule_id, version)
);
