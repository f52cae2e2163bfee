-- Parts of the platform that an account switches on once and for ever; they hold for the accounts below, too.
create table account_integrations (
  account_id integer not null references accounts (id) on delete cascade,
  integration text not null,
  activated_at timestamptz not null,
  -- who did it, as the activity log names them
  activated_by text not null,
  primary key (account_id, integration)
);
