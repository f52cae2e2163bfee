defmodule Leitstand.Rules do
  @moduledoc """
  Reads a parser's source: what may be in it is named here and in `Leitstand.Allowed`, everything else is refused. Pipes are
  resolved first, so that every call is seen with all of its arguments. Calls name their module; there is no way to put a
  module's or function's name together. What is let through is compiled, and `Leitstand.Compiled` looks at the outcome.
  """

  alias Leitstand.Allowed

  # Special forms whose parts are ordinary code.
  @forms ~w(= ^ case cond fn try with for __block__ {} -> <- when |)a
  # Attributes that only document the module; they are ignored.
  @described ~w(moduledoc doc typedoc spec type typep opaque callback impl deprecated since)a
  @reserved ~w(on_load on_definition compile before_compile after_compile after_verify external_resource nifs behaviour
    behavior derive enforce_keys dialyzer file vsn optional_callbacks macrocallback callback protocol for module)a
  @segments ~w(integer float bits bitstring binary bytes utf8 utf16 utf32 signed unsigned little big native size unit)a
  @sigils ~w(sigil_w sigil_W)a

  @doc """
  The tree to compile, the module that has `parse/2`, and all modules of the source.
  Throws `{:refused, line, why}`.
  """
  def prepare(tree, slot) do
    modules = for node <- top(tree), do: module(node)
    if modules == [], do: throw({:refused, 1, :none})

    own = Map.new(modules, fn {parts, _meta, body} -> {parts, functions(body)} end)
    if map_size(own) < length(modules), do: throw({:refused, 1, "a module is there twice"})

    main = Enum.find(modules, fn {parts, _, _} -> {:parse, 2} in own[parts] end) || throw({:refused, 1, :none})
    here = %{slot: slot, own: own, locals: []}

    safe =
      for {parts, meta, body} <- modules do
        statements = Enum.map(body, &statement(&1, %{here | locals: own[parts]}))
        {:defmodule, meta, [{:__aliases__, meta, [slot | parts]}, [do: {:__block__, [], statements}]]}
      end

    {{:__block__, [], safe}, Module.concat([slot | elem(main, 0)]), Enum.map(Map.keys(own), &Module.concat([slot | &1]))}
  end

  @doc "Names that a source may bring into being, or why not."
  def name(text) do
    cond do
      String.starts_with?(text, "Elixir.") -> {:error, "names of modules are written without quotes: "}
      String.starts_with?(text, "__") -> {:error, "names with two underscores in front are not available to parsers: "}
      true -> :ok
    end
  end

  defp top({:__block__, _, list}), do: list
  defp top(tree), do: [tree]

  defp module({:defmodule, meta, [{:__aliases__, _, parts}, [{:do, body}]]}) do
    if not Enum.all?(parts, &is_atom/1) or :Elixir in parts, do: refuse(meta, "a module's name is written out")
    {parts, meta, top(body)}
  end

  defp module({_, meta, _}), do: refuse(meta, "there is nothing beside modules")
  defp module(_), do: refuse([], "there is nothing beside modules")

  # ---- what a module is made of

  defp functions(body) do
    for {kind, _, [head | _]} <- body, kind in [:def, :defp], {name, args} <- [signature(head)], given <- given(args) do
      {name, given}
    end
  end

  defp signature({:when, _, [head, _guard]}), do: signature(head)
  defp signature({name, _, args}) when is_atom(name) and is_list(args), do: {name, args}
  defp signature({name, _, context}) when is_atom(name) and is_atom(context), do: {name, []}
  defp signature({_, meta, _}), do: refuse(meta, "a function's name is written out")
  defp signature(_), do: refuse([], "a function's name is written out")

  # Arguments with defaults are optional.
  defp given(args) do
    optional = Enum.count(args, &match?({:\\, _, _}, &1))
    Enum.to_list((length(args) - optional)..length(args))
  end

  defp statement({kind, meta, [head | bodies]}, here) when kind in [:def, :defp] and length(bodies) < 2 do
    {name, _} = signature(head)
    if name in [:unquote, :unquote_splicing], do: refuse(meta, "a function's name is written out")
    {kind, meta, [head(head, here) | Enum.map(bodies, &walk(&1, here))]}
  end

  defp statement({:@, meta, [{name, name_meta, [value]}]}, here) when is_atom(name) do
    cond do
      name in @described -> nil
      name in @reserved or is_map_key(Module.reserved_attributes(), name) -> refuse(meta, "@#{name} is not available to parsers")
      true -> {:@, meta, [{name, name_meta, [walk(value, here)]}]}
    end
  end

  defp statement({word, meta, _} = node, here) when word in [:import, :use, :require, :alias], do: brought(node, meta, here)
  defp statement({name, meta, _}, _) when is_atom(name), do: refuse(meta, "#{name} is not available to parsers")
  defp statement({_, meta, _}, _), do: refuse(meta, "a module consists of functions and attributes")
  defp statement(_, _), do: refuse([], "a module consists of functions and attributes")

  defp head({:when, meta, [head, guard]}, here), do: {:when, meta, [head(head, here), walk(guard, here)]}
  defp head({name, meta, args}, here) when is_list(args), do: {name, meta, Enum.map(args, &argument(&1, here))}
  defp head({name, meta, context}, _) when is_atom(context), do: {name, meta, context}

  defp argument({:\\, meta, [pattern, default]}, here), do: {:\\, meta, [walk(pattern, here), walk(default, here)]}
  defp argument(pattern, here), do: walk(pattern, here)

  # ---- code

  defp walk(value, _) when is_number(value) or is_binary(value), do: value
  defp walk(atom, _) when is_atom(atom), do: atom
  defp walk(list, here) when is_list(list), do: Enum.map(list, &walk(&1, here))
  defp walk({left, right}, here), do: {walk(left, here), walk(right, here)}

  defp walk({:|>, _, [_, _]} = pipe, here) do
    [{first, _} | calls] = Macro.unpipe(pipe)
    calls |> Enum.reduce(first, fn {call, position}, piped -> Macro.pipe(piped, call, position) end) |> walk(here)
  end

  defp walk({:__aliases__, meta, parts}, here) do
    case resolve(parts, meta, here) do
      {:own, node} -> node
      module -> if Allowed.value?(module), do: module, else: refuse(meta, "#{inspect(module)} is not available to parsers as a value")
    end
  end

  defp walk({:%{}, meta, pairs}, here), do: {:%{}, meta, walk(pairs, here)}

  defp walk({:%, meta, [{:__aliases__, _, parts}, map]}, here) do
    module = resolve(parts, meta, here)
    if not (is_atom(module) and Allowed.struct?(module)), do: refuse(meta, "this struct is not available to parsers")
    {:%, meta, [module, walk(map, here)]}
  end

  defp walk({:%, meta, _}, _), do: refuse(meta, "a struct names its module")
  defp walk({:<<>>, meta, segments}, here), do: {:<<>>, meta, Enum.map(segments, &segment(&1, here))}

  defp walk({:&, meta, [number]}, _) when is_integer(number), do: {:&, meta, [number]}

  defp walk({:&, meta, [{:/, slash, [{{:., dot, [target, name]}, call, []}, arity]}]} = capture, here)
       when is_atom(name) and is_integer(arity) do
    case target(target, name, arity, meta, here) do
      {module, name} -> {:&, meta, [{:/, slash, [{{:., dot, [module, name]}, call, []}, arity]}]}
      :field -> {:&, meta, walk(elem(capture, 2), here)}
    end
  end

  defp walk({:&, meta, [{:/, _, [{name, _, context}, arity]}]} = capture, here)
       when is_atom(name) and is_atom(context) and is_integer(arity) do
    local(name, arity, meta, here)
    capture
  end

  defp walk({:&, meta, [body]}, here), do: {:&, meta, [walk(body, here)]}

  defp walk({:@, meta, [{name, _, context}]} = node, _) when is_atom(name) and is_atom(context) do
    if name in @reserved, do: refuse(meta, "@#{name} is not available to parsers")
    node
  end

  # `map.key`, `Module.function(…)` and `function.(…)`
  defp walk({{:., dot, [target, name]}, meta, args}, here) when is_atom(name) and is_list(args) do
    case target(target, name, length(args), meta, here) do
      {module, name} ->
        {{:., dot, [module, name]}, meta, walk(args, here)}

      :field ->
        if args != [] or not Keyword.get(meta, :no_parens, false), do: refuse(meta, "a call has to name its module")
        {{:., dot, [Leitstand.Field, :get]}, Keyword.delete(meta, :no_parens), [walk(target, here), name]}
    end
  end

  defp walk({{:., dot, [function]}, meta, args}, here) when is_list(args),
    do: {{:., dot, [walk(function, here)]}, meta, walk(args, here)}

  defp walk({word, meta, args} = node, here) when word in [:import, :use, :require, :alias] and is_list(args),
    do: brought(node, meta, here)

  defp walk({sigil, meta, [{:<<>>, _, parts}, modifiers]} = node, here) when sigil in @sigils do
    if ?a in modifiers, do: words(parts, meta)
    local(sigil, 2, meta, here)
    put_elem(node, 2, [walk(hd(elem(node, 2)), here), modifiers])
  end

  defp walk({form, meta, parts}, here) when form in @forms and is_list(parts), do: {form, meta, walk(parts, here)}

  defp walk({name, meta, args}, here) when is_atom(name) and is_list(args) do
    local(name, length(args), meta, here)
    {name, meta, walk(args, here)}
  end

  defp walk({name, meta, context} = variable, _) when is_atom(name) and is_atom(context) do
    with {:error, why} <- name(Atom.to_string(name)), do: refuse(meta, why <> Atom.to_string(name))
    variable
  end

  defp walk({_, meta, _}, _) when is_list(meta), do: refuse(meta, "this is not available to parsers")
  defp walk(_, _), do: refuse([], "this is not available to parsers")

  # `~w(a b)a`: its atoms only come into being when the sigil is expanded.
  defp words(parts, meta) do
    case parts do
      [text] when is_binary(text) ->
        if String.contains?(text, "\\"), do: refuse(meta, "a list of atoms has no escaped characters")
        for word <- String.split(text), {:error, why} <- [name(word)], do: refuse(meta, why <> word)

      _ ->
        refuse(meta, "a list of atoms is written out")
    end
  end

  defp segment({:"::", meta, [value, type]}, here), do: {:"::", meta, [walk(value, here), type(type, meta, here)]}
  defp segment({:<-, meta, [pattern, from]}, here), do: {:<-, meta, [segment(pattern, here), walk(from, here)]}
  defp segment(value, here), do: walk(value, here)

  defp type(number, _, _) when is_integer(number), do: number
  defp type({:-, meta, [left, right]}, _, here), do: {:-, meta, [type(left, meta, here), type(right, meta, here)]}
  defp type({:*, meta, [left, right]}, _, here), do: {:*, meta, [type(left, meta, here), type(right, meta, here)]}
  defp type({:size, meta, [size]}, _, here), do: {:size, meta, [walk(size, here)]}
  defp type({:unit, meta, [unit]}, _, _) when is_integer(unit), do: {:unit, meta, [unit]}
  defp type({:@, _, _} = attribute, _, here), do: walk(attribute, here)
  defp type({word, meta, empty}, _, _) when word in @segments and empty in [nil, []], do: {word, meta, empty}
  defp type({name, _, context} = variable, _, here) when is_atom(name) and is_atom(context), do: walk(variable, here)
  defp type(_, meta, _), do: refuse(meta, "this type of a segment is not available to parsers")

  # ---- call targets

  defp local(name, arity, meta, here) do
    known = {name, arity}
    theirs = Macro.special_form?(name, arity) or known in Kernel.__info__(:functions) or known in Kernel.__info__(:macros)

    if not (Allowed.local?(name, arity) or (known in here.locals and not theirs)),
      do: refuse(meta, "#{name}/#{arity} is not available to parsers")
  end

  defp target({:__aliases__, meta, parts}, name, arity, _, here) do
    case resolve(parts, meta, here) do
      {:own, node} ->
        if {name, arity} not in here.own[parts], do: refuse(meta, "#{Enum.join(parts, ".")} has no function #{name}/#{arity}")
        {node, name}

      module ->
        called(module, name, arity, meta)
    end
  end

  # String interpolation, `"#{x}"`, and `map[key]`
  defp target(Kernel, :to_string, 1, _, _), do: {Kernel, :to_string}
  defp target(Access, :get, 2, _, _), do: {Access, :get}
  defp target(module, name, arity, meta, _) when is_atom(module), do: called(module, name, arity, meta)
  defp target(_, _, _, _, _), do: :field

  defp called(module, name, 1, _) when module in [String, List] and name == :to_existing_atom, do: {Leitstand.Field, :atom}

  defp called(module, name, arity, meta) do
    cond do
      Allowed.call?(module, name, arity) -> {module, name}
      module in Allowed.modules() -> refuse(meta, "#{said(module)}.#{name}/#{arity} is not available to parsers")
      true -> refuse(meta, "#{said(module)} is not available to parsers")
    end
  end

  defp said(Leitstand.Log), do: "Logger"
  defp said(module), do: inspect(module)

  # The first part of a name decides whether it is a module of the source.
  defp resolve([first | _] = parts, meta, here) do
    cond do
      not Enum.all?(parts, &is_atom/1) -> refuse(meta, "a module's name is written out")
      is_map_key(here.own, parts) -> {:own, {:__aliases__, meta, [here.slot | parts]}}
      Enum.any?(here.own, fn {[own | _], _} -> own == first end) -> refuse(meta, "#{Enum.join(parts, ".")} is not there")
      parts == [:Logger] -> Leitstand.Log
      first == :Elixir -> refuse(meta, "#{Enum.join(parts, ".")} is not available to parsers")
      true -> Module.concat(parts)
    end
  end

  # Only Bitwise can be imported; required modules are already loaded.
  defp brought({:require, _, [{:__aliases__, _, [name]}]}, _, _) when name in [:Logger, :Bitwise], do: nil
  defp brought({:require, _, [{:__aliases__, _, [:Integer]}]} = node, _, _), do: node

  defp brought({word, meta, [{:__aliases__, _, [:Bitwise]}]}, _, %{own: own}) when word in [:import, :use] and not is_map_key(own, [:Bitwise]),
    do: {:import, meta, [Bitwise]}

  defp brought({word, meta, _}, _, _), do: refuse(meta, "#{word} is not available to parsers, except for Bitwise")

  defp refuse(meta, why), do: throw({:refused, Keyword.get(meta, :line), why})
end
