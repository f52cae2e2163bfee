# Runs parsers written in Elixir. It communicates over the file descriptors 3 (requests, Erlang
# terms) and 4 (results, JSON), each message prefixed with its length, and exits when they close.
# See lane.ts for what starts and sandboxes it.

defmodule Leitstand.Runner do
  @moduledoc "One process per call, watched and stopped at its bounds."

  alias Leitstand.{Compiled, Json, Rules}

  # Longer names are refused; no parser uses them.
  @name_bytes 100

  def start do
    given = :erlang.binary_to_term(Base.decode64!(System.fetch_env!("LEITSTAND_LIMITS")))
    limits = Map.new(given, fn {name, value} -> {String.to_atom(name), value} end)
    Code.compiler_options(ignore_module_conflict: true)
    # Preloads the modules that parsers use, so that a first call is as fast as later ones.
    for module <- Leitstand.Allowed.modules(), do: Code.ensure_loaded(module)
    {:ok, _} = define(:Warm, "defmodule Parser do\n  def parse(<<x, _::binary>>, _), do: %{x: x / 2, t: \"\#{x}\"}\nend", limits)
    port = Port.open({:fd, 3, 4}, [:binary, :eof, packet: 4])
    send_answer(port, %{ready: true})
    loop(port, Map.put(limits, :atoms_max, :erlang.system_info(:atom_count) + limits.atoms), %{})
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
    full = :erlang.system_info(:atom_count) > limits.atoms_max
    send_answer(port, %{defined: answer_of_define(result), full: full})
    if match?({:ok, _}, result), do: Map.put(known, slot, elem(result, 1)), else: Map.delete(known, slot)
  end

  defp handle({:run, slot, inputs}, port, limits, known) do
    module = Map.get(known, slot)

    Enum.reduce(inputs, 0, fn input, timeouts ->
      answer =
        if timeouts >= limits.timeouts,
          do: %{c: "SCRIPT_TIMEOUT", e: "The parser was too slow for packets before this one", us: 0},
          else: call(module, input, limits)

      send_raw(port, ["{\"answer\":", encode_answer(answer), "}"])
      if answer[:c] == "SCRIPT_TIMEOUT", do: timeouts + 1, else: timeouts
    end)

    known
  end

  defp answer_of_define({:ok, _}), do: %{ok: true}
  defp answer_of_define({:error, code, line, why}), do: %{ok: false, c: code, e: why, line: line}

  # ---- compiling

  defp define(slot, source, limits) do
    task = fn ->
      try do
        {:ok, compile(slot, source, limits)}
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

  defp compile(slot, source, limits) do
    names = :counters.new(1, [])

    tree =
      case read(source, columns: true, static_atoms_encoder: &name(&1, &2, names, limits)) do
        {:ok, tree} -> tree
        {:error, {meta, why, token}} -> throw({:syntax, meta[:line], describe(why) <> describe(token)})
      end

    {safe, module, own} = Rules.prepare(tree, slot)
    for each <- own, do: forget(each)
    compiled = Code.compile_quoted(safe, "parser.ex")

    for {each, binary} <- compiled do
      with false <- each in own, do: refuse(own, "#{inspect(each)} is not a module of the source")
      with {:refused, what} <- Compiled.check(binary, own), do: refuse(own, "#{what} is not available to parsers")
    end

    module
  end

  # For some of the refused names `string_to_quoted` raises an exception.
  defp read(source, options) do
    Code.string_to_quoted(source, options)
  rescue
    _ -> throw({:syntax, nil, "the source, or a name in it, is not available to parsers"})
  end

  defp refuse(own, why) do
    for each <- own, do: forget(each)
    throw({:refused, nil, why})
  end

  defp forget(module) do
    :code.purge(module)
    :code.delete(module)
    :code.purge(module)
  end

  # Every atom of a source stays in the process forever, so the number of new ones per source is
  # limited.
  defp name(text, _meta, names, limits) do
    with :ok <- Rules.name(text) do
      if byte_size(text) > @name_bytes, do: {:error, "this name is too long: "}, else: known_or_new(text, names, limits)
    end
  end

  defp known_or_new(text, names, limits) do
    {:ok, String.to_existing_atom(text)}
  rescue
    ArgumentError ->
      :counters.add(names, 1, 1)
      if :counters.get(names, 1) > limits.names, do: {:error, "a parser has no more names than #{limits.names}: "}, else: {:ok, String.to_atom(text)}
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

  # Parsers return `{:error, "unknown"}` and `{:ok, %{…}}`, or list measurements with their
  # options.
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

  # Keys as text, and also as atoms where the parser can know them.
  defp with_atoms(map) when is_map(map) do
    Enum.reduce(map, %{}, fn {key, value}, all ->
      value = with_atoms(value)
      all = Map.put(all, key, value)

      try do
        Map.put(all, Leitstand.Field.atom(key), value)
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
        used = if ms > limits.ms, do: used(pid), else: {0, 0}

        cond do
          # It has ended meanwhile, and the message that says how is already there.
          used == nil ->
            await(pid, monitor, tag, started, limits)

          # The heap's own limit only works when it is collected next.
          :erlang.memory(:total) > limits.total or elem(used, 1) > limits.heap ->
            stop(pid, monitor, tag)
            :erlang.garbage_collect()
            {:failed, "SCRIPT_MEMORY", "The parser used more memory than it may"}

          # On a busy machine little of the wall time is the parser's own.
          ms > limits.ms and (elem(used, 0) > limits.reductions or ms > 20 * limits.ms) ->
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

  defp used(pid) do
    case Process.info(pid, [:reductions, :memory]) do
      [reductions: reductions, memory: bytes] -> {reductions, bytes}
      nil -> nil
    end
  end

  defp finish({:done, result}, console, us), do: {:done, result, console, us}
  defp finish({:failed, code, why}, console, us), do: {:failed, code, why, console, us}

  defp console(written, limits) do
    # Many short lines add up to little text.
    written
    |> binary_part(0, min(byte_size(written), limits.lines * limits.chars))
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
