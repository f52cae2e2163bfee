-- Feedback goes out with pictures, and the answer to who wrote it.

alter table mails add column reply_to text;

create table mail_attachments (
  id bigint generated always as identity primary key,
  mail_id bigint not null references mails (id) on delete cascade,
  name text not null,
  -- media type
  type text not null,
  bytes bytea not null
);
create index mail_attachments_mail on mail_attachments (mail_id);
