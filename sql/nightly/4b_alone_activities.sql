-- What becomes of the bits of companies of one entry that tell of activities. Runs beside.
select stage.change_bits(true);
