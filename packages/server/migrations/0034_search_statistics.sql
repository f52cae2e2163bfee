-- How many rows a searched text stands in is estimated by what is compared: texts in small letters.
create statistics twins_title_lower on (lower(title)) from twins;
create statistics virtual_devices_external_lower on (lower(external_id)) from virtual_devices;
create statistics states_title_lower on (lower(title)) from states;
create statistics states_key_lower on (lower(key)) from states;
analyze twins, virtual_devices, states;
