-- A file hangs on exactly one thing, and that may be a ticket. Until this has run, photos of tickets are refused and stay on
-- the phones that send them.
alter table files drop constraint files_check;
alter table files add constraint files_check check (num_nonnulls(twin_id, driver_id, group_id, ticket_id) = 1);
