# Runs parsers written in Elixir. It talks over the file descriptors 3 (requests, Erlang terms) and 4 (answers, JSON),
# each message with its length in front, and ends with them. See engine.ts for who starts it and what surrounds it.

defmodule Leitstand.Json do
  @moduledoc "Terms to JSON, without what JSON does not have."

  def encode(nil), do: "null"
  def encode(true), do: "true"
  def encode(false), do: "false"
  def encode(number) when is_integer(number), do: Integer.to_string(number)
  def encode(number) when is_float(number), do: Float.to_string(number)
  def encode(atom) when is_atom(atom), do: string(Atom.to_string(atom))
  def encode(text) when is_binary(text), do: string(text)
  def encode(bits) when is_bitstring(bits), do: refuse("bits that are no whole bytes")
  def encode(%DateTime{} = time), do: string(DateTime.to_iso8601(time))
  def encode(%NaiveDateTime{} = time), do: string(NaiveDateTime.to_iso8601(time) <> "Z")
  def encode(%Date{} = date), do: string(Date.to_iso8601(date))
  def encode(%Time{} = time), do: string(Time.to_iso8601(time))
  def encode(%MapSet{} = set), do: encode(MapSet.to_list(set))

  def encode(map) when is_map(map) do
    pairs = for {key, value} <- map, key != :__struct__, do: [string(to_string(key)), ?:, encode(value)]
    [?{, Enum.intersperse(pairs, ?,), ?}]
  end

  def encode([{key, _} | _] = pairs) when is_atom(key) do
    if Keyword.keyword?(pairs), do: encode(Map.new(pairs)), else: array(pairs)
  end

  def encode(list) when is_list(list), do: array(list)
  def encode(tuple) when is_tuple(tuple), do: array(Tuple.to_list(tuple))
  def encode(_), do: refuse("a function, process or reference")

  defp array(list), do: [?[, list |> Enum.map(&encode/1) |> Enum.intersperse(?,), ?]]

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
end

defmodule Timex do
  @moduledoc "The part of Timex that parsers use to read and move times. Everything is UTC."

  @utc ["Etc/UTC", "UTC", "Etc/GMT", "GMT", "Z", :utc]

  def now, do: DateTime.utc_now()
  def now(zone), do: utc!(zone, DateTime.utc_now())
  def today, do: Date.utc_today()
  def from_unix(value), do: DateTime.from_unix!(value)
  def from_unix(value, unit), do: DateTime.from_unix!(value, unit(unit))
  def to_unix(time), do: time |> to_datetime() |> DateTime.to_unix()
  def to_gregorian_seconds(time), do: time |> to_datetime() |> DateTime.to_gregorian_seconds() |> elem(0)

  def to_datetime(time), do: to_datetime(time, "Etc/UTC")
  def to_datetime(time, zone), do: utc!(zone, at(time))

  # A time of another zone must not pass for one of UTC.
  defp utc!(zone, time) when zone in @utc, do: time
  defp utc!(zone, _time), do: raise(ArgumentError, "times are in UTC here, the zone #{inspect(zone)} is not known")

  defp at(%DateTime{} = time), do: time
  defp at(%NaiveDateTime{} = time), do: DateTime.from_naive!(time, "Etc/UTC")
  defp at(%Date{} = date), do: DateTime.new!(date, ~T[00:00:00])
  defp at({{_, _, _} = date, {_, _, _} = time}), do: at(NaiveDateTime.from_erl!({date, time}))
  defp at({_, _, _} = date), do: at(Date.from_erl!(date))

  def to_naive_datetime(time), do: time |> to_datetime() |> DateTime.to_naive()
  def to_date(time), do: time |> to_datetime() |> DateTime.to_date()

  @seconds %{weeks: 604_800, days: 86_400, hours: 3600, minutes: 60, seconds: 1}

  def shift(time, amounts), do: Enum.reduce(amounts, time, &shift_by(&2, &1))
  def add(time, seconds) when is_integer(seconds), do: shift(time, seconds: seconds)
  def subtract(time, seconds) when is_integer(seconds), do: shift(time, seconds: -seconds)

  defp shift_by(%NaiveDateTime{} = time, amount), do: time |> to_datetime() |> shift_by(amount) |> DateTime.to_naive()
  defp shift_by(%Date{} = date, amount), do: date |> to_datetime() |> shift_by(amount) |> DateTime.to_date()
  defp shift_by(time, {:years, count}), do: shift_by(time, {:months, count * 12})

  defp shift_by(%DateTime{} = time, {:months, count}) do
    index = time.year * 12 + time.month - 1 + count
    {year, month} = {Integer.floor_div(index, 12), Integer.mod(index, 12) + 1}
    days = Date.days_in_month(Date.new!(year, month, 1))
    %{time | year: year, month: month, day: min(time.day, days)}
  end

  defp shift_by(time, {unit, count}) when unit in [:milliseconds, :microseconds],
    do: DateTime.add(time, count, unit(unit))

  defp shift_by(time, {unit, count}), do: DateTime.add(time, count * Map.fetch!(@seconds, unit), :second)

  def set(time, parts), do: struct!(time, parts)
  def before?(a, b), do: compare(a, b) < 0
  def after?(a, b), do: compare(a, b) > 0
  def equal?(a, b), do: compare(a, b) == 0
  def compare(a, b), do: %{lt: -1, eq: 0, gt: 1}[DateTime.compare(to_datetime(a), to_datetime(b))]
  def diff(a, b), do: diff(a, b, :microseconds)

  def diff(a, b, unit) when is_map_key(@seconds, unit),
    do: div(DateTime.diff(to_datetime(a), to_datetime(b)), Map.fetch!(@seconds, unit))

  def diff(a, b, unit), do: DateTime.diff(to_datetime(a), to_datetime(b), unit(unit))
  def beginning_of_day(time), do: %{to_datetime(time) | hour: 0, minute: 0, second: 0, microsecond: {0, 0}}
  def end_of_day(time), do: %{to_datetime(time) | hour: 23, minute: 59, second: 59, microsecond: {0, 0}}
  def beginning_of_month(time), do: %{beginning_of_day(time) | day: 1}
  def end_of_month(time), do: %{end_of_day(time) | day: days_in_month(time)}
  def between?(time, from, to), do: after?(time, from) and before?(time, to)
  def epoch, do: ~D[1970-01-01]
  def weekday(time), do: time |> to_date() |> Date.day_of_week()
  def days_in_month(time), do: time |> to_date() |> Date.days_in_month()
  def days_in_month(year, month), do: Date.days_in_month(Date.new!(year, month, 1))
  def parse(text, "{ISO:Extended}"), do: parse_iso(text)
  def parse(text, "{ISO:Extended:Z}"), do: parse_iso(text)
  def parse(_text, format), do: {:error, "only {ISO:Extended} is understood here, not #{format}"}

  def parse!(text, format) do
    case parse(text, format) do
      {:ok, time} -> time
      {:error, reason} -> raise ArgumentError, to_string(reason)
    end
  end

  def format!(time, format) when format in ["{ISO:Extended}", "{ISO:Extended:Z}"],
    do: time |> to_datetime() |> DateTime.to_iso8601()

  defp parse_iso(text) do
    case DateTime.from_iso8601(text) do
      {:ok, time, _offset} -> {:ok, time}
      {:error, reason} -> {:error, reason}
    end
  end

  defp unit(:milliseconds), do: :millisecond
  defp unit(:microseconds), do: :microsecond
  defp unit(:seconds), do: :second
  defp unit(other), do: other
end

defmodule Leitstand.Log do
  @moduledoc "What parsers write with `Logger` shows in the tester, as what they print does."

  for level <- [:debug, :info, :notice, :warn, :warning, :error] do
    def unquote(level)(text), do: IO.puts(text)
    def unquote(level)(text, _metadata), do: IO.puts(text)
  end
end

defmodule Leitstand.Rules do
  @moduledoc """
  What a parser may call: calculations, and nothing that reaches beyond its own process. Calls name their module, so
  that this can be read from the text: there is no way to put a module's or function's name together.
  """

  @modules ~w(Enum List Map MapSet Keyword Tuple Range Stream String Integer Float Bitwise Base Regex Atom Date Time DateTime
    NaiveDateTime Calendar.ISO Timex Kernel IO Access ArgumentError RuntimeError Bitwise)
  @erlang [:math, :binary, :lists, :maps, :calendar, :unicode, :string]
  @denied_functions %{
    "String" => [:to_atom],
    "List" => [:to_atom],
    "Kernel" => [:apply, :spawn, :spawn_link, :spawn_monitor, :send, :struct, :struct!, :node, :binding, :dbg]
  }
  @io [:puts, :inspect, :write]
  @denied ~w(apply spawn spawn_link spawn_monitor send receive quote unquote unquote_splicing defmacro defmacrop
    defdelegate defprotocol defimpl defoverridable defexception defstruct alias binding var! alias! dbg node struct
    struct! super __ENV__ __CALLER__ __STACKTRACE__ __MODULE__ __DIR__)a
  # Words that need no arguments.
  @denied_words ~w(__ENV__ __CALLER__ __STACKTRACE__ __MODULE__ __DIR__)a
  @denied_attributes ~w(on_load before_compile after_compile after_verify on_definition compile external_resource nifs
    behaviour derive enforce_keys dialyzer)a

  @doc "The tree, with modules under names of their own and fields read by `Leitstand.Field`; or `{:refused, line, why}`."
  def prepare(tree, slot) do
    own = for {:defmodule, _, [{:__aliases__, _, [name | _]} | _]} <- top(tree), do: name
    if own == [], do: throw({:refused, 1, :none})
    {Macro.prewalk(tree, &node(&1, own, slot)), Module.concat([slot | main(tree)])}
  end

  defp top({:__block__, _, list}), do: list
  defp top(tree), do: [tree]

  # The module that has parse/2; the first one where several do.
  defp main(tree) do
    found =
      for {:defmodule, _, [{:__aliases__, _, parts}, [do: body]]} <- top(tree), has_parse?(body), do: parts

    case found do
      [parts | _] -> parts
      [] -> throw({:refused, 1, :none})
    end
  end

  defp has_parse?(body) do
    Enum.any?(top(body), fn
      {:def, _, [{:when, _, [{:parse, _, [_, _]} | _]} | _]} -> true
      {:def, _, [{:parse, _, [_, _]} | _]} -> true
      _ -> false
    end)
  end

  # Already looked at.
  defp node({{:., _, [Leitstand.Field, :get]}, _, _} = node, _own, _slot), do: node

  defp node({:__aliases__, meta, [first | _] = parts}, own, slot) do
    name = Enum.map_join(parts, ".", &part/1)

    cond do
      first == slot -> {:__aliases__, meta, parts}
      first in own -> {:__aliases__, meta, [slot | parts]}
      name in @modules -> {:__aliases__, meta, parts}
      name == "Logger" -> {:__aliases__, meta, [:Leitstand, :Log]}
      true -> refuse(meta, "#{name} is not available to parsers")
    end
  end

  defp node({{:., dot, [module, function]}, meta, args} = node, own, _slot) when is_atom(function) do
    case module do
      {:__aliases__, _, parts} -> check_function(Enum.map_join(parts, ".", &part/1), function, meta, own)
      Access when function == :get -> :ok
      erlang when erlang in @erlang -> :ok
      # Text with values in it, `"#{x}"`.
      Kernel when function == :to_string -> :ok
      name when is_atom(name) -> refuse(meta, "#{inspect(name)} is not available to parsers")
      _ -> if args != [] or not Keyword.get(meta, :no_parens, false), do: refuse(meta, "a call has to name its module")
    end

    case module do
      {:__aliases__, _, _} -> node
      name when is_atom(name) -> node
      _ -> {{:., dot, [Leitstand.Field, :get]}, Keyword.delete(meta, :no_parens), [module, function]}
    end
  end

  defp node({:@, meta, [{name, _, _}]} = node, _own, _slot) do
    if name in @denied_attributes, do: refuse(meta, "@#{name} is not available to parsers"), else: node
  end

  defp node({word, meta, [{:__aliases__, _, [:Bitwise]} | _]} = node, _own, _slot) when word in [:use, :import, :require] do
    if length(elem(node, 2)) == 1, do: {:import, meta, elem(node, 2)}, else: node
  end

  defp node({:require, _meta, [{:__aliases__, _, [:Logger]} | _]}, _own, _slot), do: :ok

  defp node({word, meta, args}, _own, _slot) when word in [:use, :import, :require] and is_list(args),
    do: refuse(meta, "#{word} is not available to parsers, except for Bitwise")

  defp node({name, meta, args}, _own, _slot) when name in @denied and (is_list(args) or name in @denied_words),
    do: refuse(meta, "#{name} is not available to parsers")

  # `&apply/2`
  defp node({:&, meta, [{:/, _, [{name, _, _}, _]}]}, _own, _slot) when name in @denied,
    do: refuse(meta, "#{name} is not available to parsers")

  defp node(node, _own, _slot), do: node

  defp part(part) when is_atom(part), do: Atom.to_string(part)
  defp part(_), do: "?"

  defp check_function("IO", function, meta, _own) when function not in @io,
    do: refuse(meta, "IO.#{function} is not available to parsers")

  defp check_function(module, function, meta, _own) do
    if function in Map.get(@denied_functions, module, []),
      do: refuse(meta, "#{module}.#{function} is not available to parsers")
  end

  defp refuse(meta, why), do: throw({:refused, Keyword.get(meta, :line), why})
end

defmodule Leitstand.Runner do
  @moduledoc "One process per call, watched and stopped at its bounds."

  alias Leitstand.{Json, Rules}

  def start do
    given = :erlang.binary_to_term(Base.decode64!(System.fetch_env!("LEITSTAND_LIMITS")))
    limits = Map.new(given, fn {name, value} -> {String.to_atom(name), value} end)
    Code.compiler_options(ignore_module_conflict: true)
    port = Port.open({:fd, 3, 4}, [:binary, :eof, packet: 4])
    send_answer(port, %{ready: true})
    loop(port, limits, %{})
  end

  defp loop(port, limits, known) do
    receive do
      {^port, {:data, data}} ->
        known = handle(:erlang.binary_to_term(data), port, limits, known)
        loop(port, limits, known)

      {^port, :eof} ->
        System.halt(0)
    end
  end

  defp handle({:define, slot, source}, port, limits, known) do
    result = define(slot, source, limits)
    send_answer(port, %{defined: answer_of_define(result)})
    if match?({:ok, _}, result), do: Map.put(known, slot, elem(result, 1)), else: Map.delete(known, slot)
  end

  defp handle({:run, slot, inputs}, port, limits, known) do
    module = Map.get(known, slot)

    {answers, _} =
      Enum.map_reduce(inputs, 0, fn input, timeouts ->
        answer =
          if timeouts >= limits.timeouts,
            do: %{c: "SCRIPT_TIMEOUT", e: "The parser was too slow for packets before this one", us: 0},
            else: call(module, input, limits)

        {answer, if(answer[:c] == "SCRIPT_TIMEOUT", do: timeouts + 1, else: timeouts)}
      end)

    send_raw(port, ["{\"answers\":[", answers |> Enum.map(&encode_answer/1) |> Enum.intersperse(?,), "]}"])
    known
  end

  defp answer_of_define({:ok, _}), do: %{ok: true}
  defp answer_of_define({:error, code, line, why}), do: %{ok: false, c: code, e: why, line: line}

  # ---- compiling

  defp define(slot, source, limits) do
    task = fn ->
      try do
        {:ok, compile(slot, source)}
      catch
        :throw, {:refused, _line, :none} -> {:error, "SCRIPT_NO_FUNCTION", nil, "A module with a function parse/2 is needed"}
        :throw, {:refused, line, why} -> {:error, "SCRIPT_SYNTAX", line, why}
        :throw, {:syntax, line, why} -> {:error, "SCRIPT_SYNTAX", line, why}
        :error, error -> {:error, "SCRIPT_SYNTAX", line_of(error), Exception.message(error)}
        kind, reason -> {:error, "SCRIPT_SYNTAX", nil, inspect({kind, reason})}
      end
    end

    case watched(task, %{limits | ms: limits.compile_ms}) do
      {:done, result, _console, _us} -> result
      {:failed, code, why, _console, _us} -> {:error, code, nil, why}
    end
  end

  defp compile(slot, source) do
    tree =
      case Code.string_to_quoted(source, columns: true) do
        {:ok, tree} -> tree
        {:error, {meta, why, token}} -> throw({:syntax, meta[:line], describe(why) <> describe(token)})
      end

    {safe, module} = Rules.prepare(tree, slot)
    :code.purge(module)
    :code.delete(module)
    Code.compile_quoted(safe, "parser.ex")
    module
  end

  defp describe({before, behind}), do: to_string(before) <> to_string(behind)
  defp describe(text), do: to_string(text)

  defp line_of(%{line: line}) when is_integer(line), do: line
  defp line_of(_), do: nil

  # ---- calling

  defp call(nil, _input, _limits), do: %{c: "SCRIPT_SYNTAX", e: "The parser could not be compiled", us: 0}

  defp call(module, {payload, meta}, limits) do
    task = fn ->
      text = module.parse(payload, with_atoms(meta)) |> plain() |> Json.encode() |> IO.iodata_to_binary()
      if byte_size(text) > limits.output, do: {:too_large, byte_size(text)}, else: {:text, text}
    end

    case watched(task, limits) do
      {:done, {:text, text}, console, us} -> %{v: text, l: console, us: us}
      {:done, {:too_large, size}, console, us} ->
        %{c: "SCRIPT_OUTPUT_TOO_LARGE", e: "The result has #{size} bytes", l: console, us: us}
      {:failed, code, why, console, us} -> %{c: code, e: why, l: console, us: us}
    end
  end

  # Parsers write `{:error, "unknown"}` and `{:ok, %{…}}`, or list measurements with their options.
  defp plain({:ok, value}), do: plain(value)
  defp plain({:error, reason}), do: raise(if(is_binary(reason), do: reason, else: inspect(reason)))
  defp plain({map, options}) when is_map(map) and is_list(options), do: measured(map, options)
  defp plain([{map, options} | _] = list) when is_map(map) and is_list(options), do: Enum.map(list, &plain/1)
  defp plain(other), do: other

  defp measured(map, options) do
    case Keyword.get(options, :measured_at) do
      nil -> map
      time -> Map.put(map, :time, time)
    end
  end

  # Keys by their text, and by the atom where the parser can know it.
  defp with_atoms(map) when is_map(map) do
    Enum.reduce(map, %{}, fn {key, value}, all ->
      value = with_atoms(value)
      all = Map.put(all, key, value)

      try do
        Map.put(all, String.to_existing_atom(key), value)
      rescue
        ArgumentError -> all
      end
    end)
  end

  defp with_atoms(list) when is_list(list), do: Enum.map(list, &with_atoms/1)
  defp with_atoms(other), do: other

  # ---- a process of its own for each call

  defp watched(task, limits) do
    {:ok, output} = StringIO.open("")
    started = System.monotonic_time(:microsecond)
    words = div(limits.heap, :erlang.system_info(:wordsize))
    options = [:monitor, max_heap_size: %{size: words, kill: true, error_logger: false}]
    runner = self()
    tag = make_ref()

    {pid, monitor} =
      :erlang.spawn_opt(
        fn ->
          Process.group_leader(self(), output)
          send(runner, {tag, attempt(task)})
        end,
        options
      )

    outcome = await(pid, monitor, tag, started, limits)
    us = System.monotonic_time(:microsecond) - started
    {_, written} = StringIO.contents(output)
    StringIO.close(output)
    finish(outcome, console(written, limits), us)
  end

  defp attempt(task) do
    {:done, task.()}
  catch
    :throw, {:no_json, what} -> {:failed, "SCRIPT_OUTPUT_INVALID", "The result holds #{what}"}
    kind, reason -> {:failed, "SCRIPT_ERROR", message(kind, reason, __STACKTRACE__)}
  end

  defp message(:error, reason, stack), do: Exception.message(Exception.normalize(:error, reason, stack)) <> place(stack)
  defp message(kind, reason, _stack), do: "#{kind} #{inspect(reason)}"

  defp place(stack) do
    Enum.find_value(stack, "", fn {_, _, _, location} ->
      if location[:file] == 'parser.ex' and location[:line], do: " (line #{location[:line]})"
    end)
  end

  defp await(pid, monitor, tag, started, limits) do
    receive do
      {^tag, result} ->
        Process.demonitor(monitor, [:flush])
        result

      {:DOWN, ^monitor, :process, ^pid, :killed} ->
        {:failed, "SCRIPT_MEMORY", "The parser used more memory than it may"}

      {:DOWN, ^monitor, :process, ^pid, reason} ->
        {:failed, "SCRIPT_ERROR", "The parser ended: #{inspect(reason)}"}
    after
      5 ->
        ms = div(System.monotonic_time(:microsecond) - started, 1000)

        cond do
          :erlang.memory(:total) > limits.total ->
            stop(pid, monitor, tag)
            :erlang.garbage_collect()
            {:failed, "SCRIPT_MEMORY", "The parser used more memory than it may"}

          # On a busy machine little of the time is the parser's own.
          ms > limits.ms and (reductions(pid) > limits.reductions or ms > 20 * limits.ms) ->
            stop(pid, monitor, tag)
            {:failed, "SCRIPT_TIMEOUT", "The parser ran longer than #{limits.ms} ms"}

          true ->
            await(pid, monitor, tag, started, limits)
        end
    end
  end

  defp stop(pid, monitor, tag) do
    Process.exit(pid, :kill)

    receive do
      {:DOWN, ^monitor, :process, ^pid, _} -> :ok
    end

    receive do
      {^tag, _} -> :ok
    after
      0 -> :ok
    end
  end

  defp reductions(pid) do
    case Process.info(pid, :reductions) do
      {:reductions, count} -> count
      nil -> 0
    end
  end

  defp finish({:done, result}, console, us), do: {:done, result, console, us}
  defp finish({:failed, code, why}, console, us), do: {:failed, code, why, console, us}

  defp console(written, limits) do
    written
    |> String.split("\n", trim: true)
    |> Enum.take(limits.lines)
    |> Enum.map(&String.slice(&1, 0, limits.chars))
  end

  defp encode_answer(%{v: text} = answer),
    do: ["{\"v\":", text, ",\"l\":", Json.encode(answer.l), ",\"us\":", Integer.to_string(answer.us), ?}]

  defp encode_answer(answer), do: Json.encode(%{answer | e: String.slice(answer.e, 0, 500)})

  defp send_answer(port, answer), do: send_raw(port, Json.encode(answer))
  defp send_raw(port, data), do: Port.command(port, data)
end

Leitstand.Runner.start()
