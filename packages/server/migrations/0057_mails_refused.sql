-- Recipients the mail server refused although it took the mail for others, with its replies; null: none.
alter table mails add column refused jsonb;
-- Few, and counted for the start page of administrators.
create index mails_refused on mails (created_at) where refused is not null;
