-- A position that arrives with packets moves the version of its twin on, so that no form opened before writes the old
-- position back. From moved_since to moved_to nothing but the position has changed; forms that leave the position as it is
-- can still be saved.
alter table twins add column moved_since integer, add column moved_to integer;
