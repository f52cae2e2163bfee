alter table mails
  -- charts still to be drawn and attached when it is sent, e.g. [{"stateId": 1, "from": "…", "to": "…"}]; null: none
  add charts jsonb;
-- Pictures that are shown in the text of their mail.
alter table mail_attachments add inline boolean not null default false;
