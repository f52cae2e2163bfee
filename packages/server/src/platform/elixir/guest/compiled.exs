defmodule Leitstand.Compiled do
  @moduledoc """
  Looks at compiled modules before they are called: whatever macros made of a source, its calls are listed ones, no call's
  module or function is computed, no message is sent or received, and it names no module but those that are allowed.
  """

  alias Leitstand.Allowed

  # BEAM instructions that only affect their own process. Tests appear as `test`, those on
  # binaries begin with `bs_`.
  @instructions ~w(allocate allocate_heap allocate_heap_zero allocate_zero arithfbif badmatch badrecord bif build_stacktrace call call_ext
    call_ext_last call_ext_only call_fun call_fun2 call_last call_only case_end catch catch_end deallocate debug_line
    executable_line fadd fcheckerror fclearerror fconv fdiv fmove fmul fnegate fsub func_info gc_bif get_hd get_list
    get_map_elements get_tl get_tuple_element if_end init init_yregs int_code_end jump label line make_fun2 make_fun3 move
    nif_start put put_list put_map_assoc put_map_exact put_tuple put_tuple2 raise raw_raise return select_tuple_arity
    select_val set_tuple_element swap test test_heap trim try try_case try_case_end try_end update_record)a

  # Functions the compiler adds to every module for reflection.
  @own_functions [{:__info__, 1}, {:module_info, 0}, {:module_info, 1}]

  @doc "`:ok`, or `{:refused, what}`"
  def check(binary, own) do
    {:beam_file, _module, _exports, attributes, _info, code} = :beam_disasm.file(binary)
    if Keyword.has_key?(attributes, :on_load), do: throw({:found, "on_load"})

    for {:function, name, arity, _entry, instructions} <- code,
        {name, arity} not in @own_functions,
        instruction <- instructions,
        do: instruction(instruction, own)

    :ok
  catch
    {:found, what} -> {:refused, what}
  end

  defp instruction(word, _own) when is_atom(word), do: listed(word)

  # A label's place in the source and the module's own name.
  defp instruction(tuple, _own) when elem(tuple, 0) in [:func_info, :line, :debug_line, :executable_line, :label], do: :ok

  defp instruction(tuple, own) do
    [word | operands] = Tuple.to_list(tuple)
    listed(word)
    called(word, operands)
    for operand <- operands, do: operand(operand, own)
  end

  defp listed(word) do
    if word not in @instructions and not String.starts_with?(Atom.to_string(word), "bs_"), do: throw({:found, "#{word}"})
  end

  defp called(:bif, [name, _fail, args, _to]), do: call(:erlang, name, length(args))
  defp called(:gc_bif, [name, _fail, _live, args, _to]), do: call(:erlang, name, length(args))
  defp called(_, _), do: :ok

  defp call(module, name, arity) do
    if not Allowed.compiled?(module, name, arity), do: throw({:found, "#{inspect(module)}.#{name}/#{arity}"})
  end

  defp operand({:extfunc, module, name, arity}, own) do
    if module not in own, do: call(module, name, arity)
  end

  defp operand({:literal, term}, own), do: term(term, own)
  defp operand({:atom, atom}, own), do: term(atom, own)
  defp operand(tuple, own) when is_tuple(tuple), do: for(part <- Tuple.to_list(tuple), do: operand(part, own))
  defp operand([head | tail], own), do: [operand(head, own) | List.wrap(operand(tail, own))]
  defp operand(_, _), do: :ok

  defp term(function, own) when is_function(function) do
    info = Function.info(function)
    if info[:type] != :external, do: throw({:found, "a function made while compiling"})
    operand({:extfunc, info[:module], info[:name], info[:arity]}, own)
  end

  defp term(atom, own) when is_atom(atom) do
    name = Atom.to_string(atom)

    if String.starts_with?(name, "Elixir.") and atom not in own and not Allowed.name?(atom),
      do: throw({:found, "the name #{inspect(atom)}"})
  end

  defp term([head | tail], own) do
    term(head, own)
    term(tail, own)
  end

  defp term(tuple, own) when is_tuple(tuple), do: for(part <- Tuple.to_list(tuple), do: term(part, own))
  defp term(map, own) when is_map(map), do: for({key, value} <- Map.to_list(map), do: term({key, value}, own))
  defp term(pid, _) when is_pid(pid) or is_port(pid), do: throw({:found, "a process"})
  defp term(_, _), do: :ok
end
