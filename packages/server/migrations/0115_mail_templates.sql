-- The words of a kind of mail that an account has set; accounts below inherit them.
create table mail_templates (
  account_id integer not null references accounts (id) on delete cascade,
  -- as the feature that sends the mail calls it
  kind text not null check (length(kind) between 1 and 60),
  -- of the reader; German where one text serves all
  language text not null check (language in ('de', 'en')),
  subject text not null,
  body text not null,
  version integer not null default 1,
  updated_at timestamptz not null,
  primary key (account_id, kind, language)
);
