import type { Diagnostic } from '@codemirror/lint'
import type { Text } from '@codemirror/state'
import type { CodeMarker } from './CodeEditor.tsx'

/** A marker's range in the text, clamped to its length. */
export function diagnosticOf(doc: Text, marker: CodeMarker): Diagnostic {
  const line = doc.line(Math.min(Math.max(1, marker.line), doc.lines))
  const from = Math.min(line.from + Math.max(0, (marker.column ?? 1) - 1), line.to)
  return { from, to: Math.max(from, line.to), severity: marker.severity ?? 'error', message: marker.message }
}
