-- What becomes of the bits of companies of one entry, but those of activities. Runs beside.
select stage.change_bits(false);
