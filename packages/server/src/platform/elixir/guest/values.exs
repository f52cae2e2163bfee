defmodule Leitstand.Json do
  @moduledoc "Terms to JSON, without what JSON does not have, and not nested without end."

  @levels 32

  def encode(value), do: encode(value, 0)

  defp encode(_, level) when level > @levels, do: refuse("more than #{@levels} levels")
  defp encode(nil, _), do: "null"
  defp encode(true, _), do: "true"
  defp encode(false, _), do: "false"
  defp encode(number, _) when is_integer(number), do: Integer.to_string(number)
  defp encode(number, _) when is_float(number), do: Float.to_string(number)
  defp encode(atom, _) when is_atom(atom), do: string(Atom.to_string(atom))
  defp encode(text, _) when is_binary(text), do: string(text)
  defp encode(bits, _) when is_bitstring(bits), do: refuse("bits that are no whole bytes")
  defp encode(%DateTime{} = time, _), do: string(DateTime.to_iso8601(time))
  defp encode(%NaiveDateTime{} = time, _), do: string(NaiveDateTime.to_iso8601(time) <> "Z")
  defp encode(%Date{} = date, _), do: string(Date.to_iso8601(date))
  defp encode(%Time{} = time, _), do: string(Time.to_iso8601(time))
  defp encode(%MapSet{} = set, level), do: encode(MapSet.to_list(set), level)

  defp encode(map, level) when is_map(map) do
    pairs = for {key, value} <- map, key != :__struct__, do: [string(key(key)), ?:, encode(value, level + 1)]
    [?{, Enum.intersperse(pairs, ?,), ?}]
  end

  defp encode([{key, _} | _] = pairs, level) when is_atom(key) do
    if Keyword.keyword?(pairs), do: encode(Map.new(pairs), level), else: array(pairs, level)
  end

  defp encode(list, level) when is_list(list), do: array(list, level)
  defp encode(tuple, level) when is_tuple(tuple), do: array(Tuple.to_list(tuple), level)
  defp encode(_, _), do: refuse("a function, process or reference")

  defp key(key) when is_binary(key) or is_atom(key) or is_number(key) or is_list(key), do: to_string(key)
  defp key(_), do: refuse("a key that is neither text nor a number")

  defp array(list, level), do: [?[, list |> Enum.map(&encode(&1, level + 1)) |> Enum.intersperse(?,), ?]]

  defp string(text) do
    valid = if String.valid?(text), do: text, else: Base.encode16(text, case: :lower)
    [?", escape(valid), ?"]
  end

  defp escape(text), do: for(<<char::utf8 <- text>>, do: escaped(char))
  defp escaped(?"), do: "\\\""
  defp escaped(?\\), do: "\\\\"
  defp escaped(char) when char < 32, do: ["\\u", char |> Integer.to_string(16) |> String.pad_leading(4, "0")]
  defp escaped(char), do: <<char::utf8>>

  defp refuse(what), do: throw({:no_json, what})
end

defmodule Leitstand.Field do
  @moduledoc "`meta.lora`: a key of a map, written as an atom or as text."

  def get(map, key) when is_map(map) do
    case map do
      %{^key => value} -> value
      _ -> Map.fetch!(map, Atom.to_string(key))
    end
  end

  def get(other, key), do: raise(ArgumentError, "#{inspect(other)} has no field #{key}")

  @doc "A name that is known already, but none of a module and none that Elixir itself gives a meaning to."
  def atom(text) when is_binary(text) do
    if String.starts_with?(text, ["Elixir.", "__"]), do: raise(ArgumentError, "#{text} is not available to parsers")
    String.to_existing_atom(text)
  end

  def atom(chars) when is_list(chars), do: chars |> List.to_string() |> atom()
end

defmodule Leitstand.Log do
  @moduledoc "What parsers write with `Logger` shows in the tester, as what they print does."

  for level <- [:debug, :info, :notice, :warn, :warning, :error] do
    def unquote(level)(text), do: IO.puts(text)
    def unquote(level)(text, _metadata), do: IO.puts(text)
  end
end
