-- Nodes of the version before looked words up in the text of every state.
drop index states_search;
