-- Every night reads all keys anyway. Without an index of what changes in them, a change of a key is
-- written beside the row before it, and no index need be told.
drop index registry.entry_key_fingerprint_idx;
drop index registry.entry_key_unread_idx;
