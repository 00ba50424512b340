-- The bits and places of the companies of one entry, as worked out beside: before anything else of the
-- night changes them. Runs in the transaction that publishes.
analyze stage.changed_bits (term, block);

update registry.search_bits
set bits = changed_bits.bits
from stage.changed_bits
where
    search_bits.term = changed_bits.term
    and search_bits.block = changed_bits.block;

insert into registry.search_bits (term, block, bits)
select changed_bits.term, changed_bits.block, changed_bits.bits
from stage.changed_bits
where changed_bits.is_new;

update registry.search_places
set places = changed_places.places
from stage.changed_places
where
    search_places.code = changed_places.code
    and search_places.block = changed_places.block;

insert into registry.search_places (code, block, places)
select changed_places.code, changed_places.block, changed_places.places
from stage.changed_places
where changed_places.is_new;
