-- With several nodes accounts are divided into slices, and each slice of events is handled by one node. A cursor of slice -1
-- is that of a process that handles all of them.
alter table outbox_cursors add column slice smallint not null default -1;
alter table outbox_cursors drop constraint outbox_cursors_pkey, add primary key (consumer, slice);

drop function outbox_batch(text[], xid8, bigint, integer, integer, integer[]);

-- As before, of some slices only; null: of all.
create function outbox_batch(topics text[], after_xid xid8, after_id bigint, most integer, size_max integer, without integer[],
    slice_count integer, slices smallint[])
  returns table (horizon text, found integer, pending boolean, events json)
  language plpgsql stable set enable_seqscan = off set enable_bitmapscan = off
as $$
#variable_conflict use_column
begin
  return query
    with edge as materialized (select pg_snapshot_xmin(pg_current_snapshot()) as at),
    first as materialized (
      select o.id, o.xid, o.topic, o.version, o.account_id, o.payload, o.at, pg_column_size(o.payload) as size
      from outbox o
      where (o.xid, o.id) > (after_xid, after_id) and o.xid < (select e.at from edge e)
        and o.topic = any(topics) and coalesce(o.account_id, 0) <> all(without)
        and (slices is null or coalesce(o.account_id, 0) % slice_count = any(slices))
      order by o.xid, o.id limit most),
    measured as (select *, sum(size) over (order by xid, id) - size as before from first),
    batch as (select * from measured where before < size_max)
    select (select e.at::text from edge e), (select count(*)::int from first),
      exists (select from outbox o where o.xid >= (select e.at from edge e) and o.topic = any(topics)
        and (slices is null or coalesce(o.account_id, 0) % slice_count = any(slices))),
      (select json_agg(json_build_object('id', id, 'xid', xid::text, 'topic', topic, 'version', version,
        'accountId', account_id, 'payload', payload, 'at', at, 'size', size) order by xid, id) from batch);
end $$;
