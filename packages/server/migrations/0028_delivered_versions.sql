-- Which versions came with the platform is told by themselves: the name of who made one may be anybody's.
alter table driver_versions add column delivered boolean not null default false;
update driver_versions v set delivered = true
from drivers d where d.id = v.driver_id and d.library_key is not null and v.created_by = 'Leitstand';
