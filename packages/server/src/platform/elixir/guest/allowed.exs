defmodule Leitstand.Allowed do
  @moduledoc """
  What a parser may call: functions that calculate, each with its numbers of arguments, and nothing that reaches beyond
  its own process. What is not listed is not available, also when a later Elixir brings it.
  """

  @remote %{
    Enum => ~w(all?/1,2 any?/1,2 at/2,3 chunk/2,3,4 chunk_by/2 chunk_every/2,3,4 chunk_while/4 concat/1,2 count/1,2
      count_until/2,3 dedup/1 dedup_by/2 drop/2 drop_every/2 drop_while/2 each/2 empty?/1 fetch/2 fetch!/2 filter/2
      find/2,3 find_index/2 find_value/2,3 flat_map/2 flat_map_reduce/3 frequencies/1 frequencies_by/2 group_by/2,3
      intersperse/2 into/2,3 join/1,2 map/2 map_every/3 map_intersperse/3 map_join/2,3 map_reduce/3 max/1,2,3
      max_by/2,3,4 member?/2 min/1,2,3 min_by/2,3,4 min_max/1,2 min_max_by/2,3,4 partition/2 product/1 random/1
      reduce/2,3 reduce_while/3 reject/2 reverse/1,2 reverse_slice/3 scan/2,3 shuffle/1 slice/2,3 slide/3 sort/1,2
      sort_by/2,3 split/2 split_while/2 split_with/2 sum/1 take/2 take_every/2 take_random/2 take_while/2 to_list/1
      uniq/1,2 uniq_by/2 unzip/1 with_index/1,2 zip/1,2 zip_reduce/3,4 zip_with/2,3),
    List => ~w(ascii_printable?/1,2 delete/2 delete_at/2 duplicate/2 first/1,2 flatten/1,2 foldl/3 foldr/3 improper?/1
      insert_at/3 keydelete/3 keyfind/3,4 keyfind!/3 keymember?/3 keyreplace/4 keysort/2,3 keystore/4 keytake/3
      last/1,2 myers_difference/2,3 pop_at/2,3 replace_at/3 starts_with?/2 to_charlist/1 to_float/1 to_integer/1,2
      to_string/1 to_tuple/1 update_at/3 wrap/1 zip/1),
    Map => ~w(delete/2 drop/2 equal?/2 fetch/2 fetch!/2 filter/2 from_keys/2 from_struct/1 get/2,3 get_and_update/3
      get_and_update!/3 get_lazy/3 has_key?/2 keys/1 map/2 merge/2,3 new/0,1,2 pop/2,3 pop!/2 pop_lazy/3 put/3
      put_new/3 put_new_lazy/3 reject/2 replace/3 replace!/3 replace_lazy/3 size/1 split/2 take/2 to_list/1 update/4
      update!/3 values/1),
    MapSet => ~w(delete/2 difference/2 disjoint?/2 equal?/2 filter/2 intersection/2 member?/2 new/0,1,2 put/2 reject/2
      size/1 subset?/2 symmetric_difference/2 to_list/1 union/2),
    Keyword => ~w(delete/2,3 delete_first/2 drop/2 equal?/2 fetch/2 fetch!/2 filter/2 from_keys/2 get/2,3
      get_and_update/3 get_lazy/3 get_values/2 has_key?/2 keys/1 keyword?/1 map/2 merge/2,3 new/0,1,2 pop/2,3 pop!/2
      pop_first/2,3 pop_lazy/3 pop_values/2 put/3 put_new/3 put_new_lazy/3 reject/2 replace/3 replace!/3
      replace_lazy/3 size/1 split/2 take/2 to_list/1 update/4 update!/3 validate/2 validate!/2 values/1),
    Tuple => ~w(append/2 delete_at/2 duplicate/2 insert_at/3 product/1 sum/1 to_list/1),
    Range => ~w(disjoint?/2 new/2,3 range?/1 shift/2 size/1),
    Stream => ~w(chunk/2,3,4 chunk_by/2 chunk_every/2,3,4 chunk_while/4 concat/1,2 cycle/1 dedup/1 dedup_by/2 drop/2
      drop_every/2 drop_while/2 duplicate/2 each/2 filter/2 flat_map/2 intersperse/2 into/2,3 iterate/2 map/2
      map_every/3 reject/2 repeatedly/1 resource/3 run/1 scan/2,3 take/2 take_every/2 take_while/2 transform/3,4,5
      unfold/2 uniq/1,2 uniq_by/2 with_index/1,2 zip/1,2 zip_with/2,3),
    String => ~w(at/2 bag_distance/2 capitalize/1,2 chunk/2 codepoints/1 contains?/2 downcase/1,2 duplicate/2
      ends_with?/2 equivalent?/2 first/1 graphemes/1 jaro_distance/2 last/1 length/1 match?/2 myers_difference/2
      next_codepoint/1 next_grapheme/1 normalize/2 pad_leading/2,3 pad_trailing/2,3 printable?/1,2 replace/3,4
      replace_leading/3 replace_prefix/3 replace_suffix/3 replace_trailing/3 reverse/1 slice/2,3 split/1,2,3
      split_at/2 splitter/2,3 starts_with?/2 to_charlist/1 to_float/1 to_integer/1,2 trim/1,2 trim_leading/1,2
      trim_trailing/1,2 upcase/1,2 valid?/1),
    Integer => ~w(digits/1,2 extended_gcd/2 floor_div/2 gcd/2 is_even/1 is_odd/1 mod/2 parse/1,2 pow/2
      to_charlist/1,2 to_string/1,2 undigits/1,2),
    Float => ~w(ceil/1,2 floor/1,2 max_finite/0 min_finite/0 parse/1 pow/2 ratio/1 round/1,2 to_charlist/1
      to_string/1),
    Bitwise => ~w(&&&/2 <<</2 >>>/2 ^^^/2 band/2 bnot/1 bor/2 bsl/2 bsr/2 bxor/2 |||/2 ~~~/1),
    Base => ~w(decode16/1,2 decode16!/1,2 decode32/1,2 decode32!/1,2 decode64/1,2 decode64!/1,2 encode16/1,2
      encode32/1,2 encode64/1,2 hex_decode32/1,2 hex_decode32!/1,2 hex_encode32/1,2 url_decode64/1,2
      url_decode64!/1,2 url_encode64/1,2),
    Regex => ~w(compile/1,2 compile!/1,2 escape/1 match?/2 named_captures/2,3 names/1 opts/1 regex?/1 replace/3,4
      run/2,3 scan/2,3 source/1 split/2,3),
    Atom => ~w(to_charlist/1 to_string/1),
    Date => ~w(add/2 beginning_of_month/1 beginning_of_week/1,2 compare/2 day_of_era/1 day_of_week/1,2 day_of_year/1
      days_in_month/1 diff/2 end_of_month/1 end_of_week/1,2 from_erl/1 from_erl!/1 from_gregorian_days/1
      from_iso8601/1 from_iso8601!/1 leap_year?/1 months_in_year/1 new/3 new!/3 quarter_of_year/1 range/2,3 to_erl/1
      to_gregorian_days/1 to_iso8601/1,2 to_string/1 utc_today/0 year_of_era/1),
    Time => ~w(add/2,3 compare/2 diff/2,3 from_erl/1,2 from_erl!/1,2 from_iso8601/1 from_iso8601!/1
      from_seconds_after_midnight/1,2 new/3,4 new!/3,4 to_erl/1 to_iso8601/1,2 to_seconds_after_midnight/1
      to_string/1 truncate/2 utc_now/0),
    DateTime => ~w(add/2,3 compare/2 diff/2,3 from_gregorian_seconds/1,2 from_iso8601/1,2 from_naive/2 from_naive!/2
      from_unix/1,2 from_unix!/1,2 new/2,3 new!/2,3 now/1 now!/1 shift_zone/2 shift_zone!/2 to_date/1
      to_gregorian_seconds/1 to_iso8601/1,2,3 to_naive/1 to_string/1 to_time/1 to_unix/1,2 truncate/2 utc_now/0),
    NaiveDateTime => ~w(add/2,3 compare/2 diff/2,3 from_erl/1,2 from_erl!/1,2 from_gregorian_seconds/1,2
      from_iso8601/1 from_iso8601!/1 local_now/0 new/2,6,7 new!/2,6,7 to_date/1 to_erl/1 to_gregorian_seconds/1
      to_iso8601/1,2 to_string/1 to_time/1 truncate/2 utc_now/0),
    Calendar.ISO => ~w(day_of_year/3 days_in_month/2 leap_year?/1 valid_date?/3),
    Calendar => ~w(strftime/2,3),
    Access => ~w(all/0 at/1 elem/1 fetch/2 fetch!/2 filter/1 get/2,3 get_and_update/3 key/1,2 key!/1 pop/2),
    IO => ~w(inspect/1,2 puts/1 write/1),
    Exception => ~w(message/1),
    ArgumentError => ~w(exception/1 message/1),
    RuntimeError => ~w(exception/1 message/1),
    :math => ~w(acos/1 acosh/1 asin/1 asinh/1 atan/1 atan2/2 atanh/1 ceil/1 cos/1 cosh/1 erf/1 erfc/1 exp/1 floor/1
      fmod/2 log/1 log10/1 log2/1 pi/0 pow/2 sin/1 sinh/1 sqrt/1 tan/1 tanh/1),
    :binary => ~w(at/2 bin_to_list/1,2,3 compile_pattern/1 copy/1,2 decode_hex/1 decode_unsigned/1,2 encode_hex/1
      encode_unsigned/1,2 first/1 last/1 list_to_bin/1 longest_common_prefix/1 longest_common_suffix/1 match/2,3
      matches/2,3 part/2,3 replace/3,4 split/2,3),
    :lists => ~w(all/2 any/2 append/1,2 concat/1 delete/2 droplast/1 dropwhile/2 duplicate/2 enumerate/1,2 filter/2
      filtermap/2 flatlength/1 flatmap/2 flatten/1,2 foldl/3 foldr/3 foreach/2 join/2 keydelete/3 keyfind/3 keymap/3
      keymember/3 keymerge/3 keyreplace/4 keysearch/3 keysort/2 keystore/4 keytake/3 last/1 map/2 mapfoldl/3
      mapfoldr/3 max/1 member/2 merge/1,2,3 min/1 nth/2 nthtail/2 partition/2 prefix/2 reverse/1,2 search/2 seq/2,3
      sort/1,2 split/2 splitwith/2 sublist/2,3 subtract/2 suffix/2 sum/1 takewhile/2 ukeymerge/3 ukeysort/2 umerge/1
      uniq/1,2 unzip/1 unzip3/1 usort/1,2 zip/2 zip3/3 zipwith/3 zipwith3/4),
    :maps => ~w(filter/2 filtermap/2 find/2 fold/3 foreach/2 from_keys/2 from_list/1 get/2,3 groups_from_list/2,3
      intersect/2 intersect_with/3 is_key/2 keys/1 map/2 merge/2 merge_with/3 new/0 put/3 remove/2 size/1 take/2
      to_list/1 update/3 update_with/3,4 values/1 with/2 without/2),
    :calendar => ~w(date_to_gregorian_days/1,3 datetime_to_gregorian_seconds/1 day_of_the_week/1,3
      gregorian_days_to_date/1 gregorian_seconds_to_datetime/1 is_leap_year/1 iso_week_number/0,1
      last_day_of_the_month/2 local_time/0 rfc3339_to_system_time/1,2 seconds_to_daystime/1 seconds_to_time/1
      system_time_to_rfc3339/1,2 system_time_to_universal_time/2 time_difference/2 time_to_seconds/1 universal_time/0
      valid_date/1,3),
    :unicode => ~w(characters_to_binary/1,2,3 characters_to_list/1,2 characters_to_nfc_binary/1
      characters_to_nfc_list/1 characters_to_nfd_binary/1 characters_to_nfd_list/1),
    :string => ~w(casefold/1 chomp/1 chr/2 concat/2 copies/2 cspan/2 equal/2,3 find/2,3 is_empty/1 join/2 left/2,3
      len/1 length/1 lexemes/2 list_to_float/1 list_to_integer/1 lowercase/1 next_codepoint/1 next_grapheme/1
      nth_lexeme/3 pad/2,3,4 prefix/2 rchr/2 replace/3,4 reverse/1 right/2,3 rstr/2 slice/2,3 span/2 split/2,3 str/2
      strip/1,2,3 sub_string/2,3 substr/2,3 take/2,3,4 titlecase/1 to_float/1 to_graphemes/1 to_integer/1 to_lower/1
      to_upper/1 tokens/2 trim/1,2,3 uppercase/1 words/1,2)
  }

  # Functions of Kernel, with and without the module name.
  @functions ~w(!=/2 !==/2 */2 **/2 +/1,2 ++/2 -/1,2 --/2 //2 </2 <=/2 ==/2 ===/2 =~/2 >/2 >=/2 abs/1 binary_part/3
    binary_slice/2,3 bit_size/1 byte_size/1 ceil/1 div/2 elem/2 floor/1 get_and_update_in/3 get_in/2 hd/1 inspect/1,2
    is_atom/1 is_binary/1 is_bitstring/1 is_boolean/1 is_float/1 is_function/1,2 is_integer/1 is_list/1 is_map/1
    is_map_key/2 is_number/1 is_tuple/1 length/1 map_size/1 max/2 min/2 not/1 pop_in/2 put_elem/3 put_in/3 rem/2
    round/1 throw/1 tl/1 trunc/1 tuple_size/1 update_in/3)

  # Macros whose arguments are ordinary code, and whose expansion is as safe as they are.
  @macros ~w(!/1 &&/2 ../0,2 ..///3 <>/2 and/2 destructure/2 get_and_update_in/2 if/2 in/2 is_nil/1 is_struct/1
    is_exception/1 match?/2 or/2 pop_in/1 put_in/2 raise/1,2 sigil_C/2 sigil_D/2 sigil_N/2 sigil_R/2 sigil_S/2
    sigil_T/2 sigil_U/2 sigil_W/2 sigil_c/2 sigil_r/2 sigil_s/2 sigil_w/2 tap/2 then/2 to_charlist/1 to_string/1
    unless/2 update_in/2 ||/2)

  # What the compiler generates from the above.
  @made %{
    Access => ~w(get/2 get_and_update/3),
    Collectable => ~w(into/1),
    Enumerable => ~w(reduce/3),
    Exception => ~w(normalize/3),
    Kernel.Utils => ~w(raise/1),
    List.Chars => ~w(to_charlist/1),
    String.Chars => ~w(to_string/1),
    Kernel => ~w(=~/2 **/2 binary_slice/2,3 get_and_update_in/3 get_in/2 inspect/1,2 pop_in/2 put_in/3 update_in/3),
    KeyError => ~w(exception/1),
    Regex => ~w(match?/2),
    Leitstand.Field => ~w(get/2 atom/1),
    :maps => ~w(find/2 merge/2),
    :erlang => ~w(!=/2 */2 +/1,2 ++/2 -/1,2 --/2 //2 /=/2 </2 =/=/2 =:=/2 =</2 ==/2 >/2 >=/2 abs/1 and/2
      append_element/2 atom_to_binary/1,2 atom_to_list/1 band/2 binary_part/2,3 binary_to_float/1
      binary_to_integer/1,2 binary_to_list/1,3 bit_size/1 bnot/1 bor/2 bsl/2 bsr/2 bxor/2 byte_size/1 ceil/1
      delete_element/2 div/2 element/2 error/1,2,3 float/1 float_to_binary/1,2 float_to_list/1,2 floor/1 hd/1
      insert_element/3 integer_to_binary/1,2 integer_to_list/1,2 iolist_to_binary/1 is_atom/1 is_binary/1
      is_bitstring/1 is_boolean/1 is_float/1 is_function/1,2 is_integer/1 is_list/1 is_map/1 is_map_key/2 is_number/1
      is_tuple/1 length/1 list_to_binary/1 list_to_bitstring/1 list_to_float/1 list_to_integer/1,2 list_to_tuple/1
      make_tuple/2 map_get/2 map_size/1 max/2 min/2 not/1 or/2 raise/3 rem/2 round/1 setelement/3 size/1 throw/1
      tl/1 trunc/1 tuple_size/1 tuple_to_list/1 xor/2)
  }

  # Modules whose names may be used as values: for comparing, as structs, and in raise and rescue.
  @values [Date, Time, DateTime, NaiveDateTime, Calendar.ISO, MapSet, Range, Regex]
  @exceptions [ArgumentError, ArithmeticError, BadArityError, BadFunctionError, BadMapError, CaseClauseError, CondClauseError,
    Enum.EmptyError, Enum.OutOfBoundsError, ErlangError, FunctionClauseError, KeyError, MatchError, Protocol.UndefinedError,
    Regex.CompileError, RuntimeError, TryClauseError, UnicodeConversionError, WithClauseError]
  # Structs that the compiler emits for ranges, and the modules protocols are called by.
  @structs [Date.Range, Stream | @values]

  read = fn names ->
    for name <- names, [_, function, arities] = Regex.run(~r"^(.+)/([0-9,]+)$", name), arity <- String.split(arities, ","),
        do: {String.to_atom(function), String.to_integer(arity)}
  end

  table = fn map -> for {module, names} <- map, {function, arity} <- read.(names), into: %{}, do: {{module, function, arity}, true} end

  timex = for {function, arity} <- Timex.__info__(:functions), into: %{}, do: {{Timex, function, arity}, true}
  log = for {function, arity} <- Leitstand.Log.__info__(:functions), into: %{}, do: {{Leitstand.Log, function, arity}, true}
  @calls @remote |> table.() |> Map.merge(timex) |> Map.merge(log)
  @compiled Map.merge(@calls, table.(@made))
  @kernel Map.new(read.(@functions), &{&1, true})
  @locals Map.new(read.(@functions ++ @macros) ++ read.(@remote[Bitwise]), &{&1, true})
  @modules @calls |> Map.keys() |> Enum.map(&elem(&1, 0)) |> Enum.uniq()
  # Module names that may occur in compiled code; nothing allowed can reach any other.
  @names Map.new(@values ++ @structs ++ @exceptions ++ Enum.map(Map.keys(@compiled), &elem(&1, 0)) ++ [Kernel], &{&1, true})

  def call?(Kernel, function, arity), do: is_map_key(@kernel, {function, arity}) or {function, arity} == {:to_string, 1}
  def call?(module, function, arity), do: is_map_key(@calls, {module, function, arity})
  def local?(name, arity), do: is_map_key(@locals, {name, arity})
  def compiled?(module, function, arity), do: is_map_key(@compiled, {module, function, arity})
  def value?(module), do: module in @values or module in @exceptions
  def struct?(module), do: module in @values or module in @exceptions
  def name?(module), do: is_map_key(@names, module)
  def modules, do: [Kernel | @modules]
end
