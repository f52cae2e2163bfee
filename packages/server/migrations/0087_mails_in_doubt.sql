-- A mail whose delivery ended without an answer may have arrived; it is sent again, perhaps twice.
alter table mails
  -- when its content was handed to a mail server that has not answered yet
  add handed_over_at timestamptz,
  -- handed over again after an attempt without an answer
  add may_repeat boolean not null default false;
