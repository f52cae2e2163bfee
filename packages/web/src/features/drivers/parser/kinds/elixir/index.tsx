import type { ParserOf } from '@leitstand/contract/parsers'
import { ScriptEditor } from '../../ScriptEditor.tsx'
import type { ConsoleParser, EditorProps } from '../types.ts'

/** Initial text of an Elixir parser. */
const scriptStart = `# payload: the bytes of the packet (of a JSON packet its data), meta: port, time and what else came along.
defmodule Parser do
  def parse(<<temperature::signed-16, humidity::8, _rest::binary>>, %{lora: %{fport: 1}}) do
    %{temperature: temperature / 10, humidity: humidity / 2}
  end

  def parse(_payload, _meta), do: %{}
end
`

/** `parse/2` in Elixir. */
export const elixir: ConsoleParser<object, ParserOf<'elixir'>> = {
  empty: () => ({}),
  toValues: () => ({}),
  toParser: () => ({ kind: 'elixir' }),
  Editor: ElixirEditor,
  scriptStart,
}

function ElixirEditor(props: EditorProps) {
  return <ScriptEditor {...props} language="text" signatureOf={() => 'parse/2'} />
}
