import { autocompletion, type CompletionContext, type CompletionSource } from '@codemirror/autocomplete'
import { indentWithTab } from '@codemirror/commands'
import { javascript, javascriptLanguage } from '@codemirror/lang-javascript'
import { json, jsonParseLinter } from '@codemirror/lang-json'
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { linter, lintGutter, setDiagnostics } from '@codemirror/lint'
import { Compartment, EditorState, type Extension } from '@codemirror/state'
import { EditorView, keymap } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { basicSetup } from 'codemirror'
import { useEffect, useRef } from 'react'
import type { CodeEditorProps } from './CodeEditor.tsx'
import classes from './code.module.css'
import { diagnosticOf } from './diagnostic.ts'

const highlight = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: 'var(--code-keyword)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--code-string)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--code-number)' },
  { tag: [tags.comment], color: 'var(--code-comment)', fontStyle: 'italic' },
  {
    tag: [tags.function(tags.variableName), tags.function(tags.propertyName)],
    color: 'var(--code-function)',
  },
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--code-property)' },
  { tag: tags.invalid, color: 'var(--health-error)' },
])

const look = EditorView.theme({
  '&': { height: '100%', fontSize: '13px', backgroundColor: 'transparent', color: 'var(--text)' },
  '.cm-scroller': { fontFamily: 'var(--mantine-font-family-monospace)', lineHeight: '1.55' },
  '.cm-gutters': { backgroundColor: 'var(--surface-sunken)', color: 'var(--text-dimmed)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': {
    backgroundColor: 'color-mix(in srgb, var(--text) 4%, transparent)',
  },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': {
    backgroundColor: 'var(--code-selection)',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--surface-raised)',
    border: '1px solid var(--line-strong)',
    borderRadius: '8px',
    color: 'var(--text)',
  },
  '.cm-panels': { backgroundColor: 'var(--surface-raised)', color: 'var(--text)' },
})

function languageOf(language: CodeEditorProps['language']): Extension {
  if (language === 'javascript') return javascript()
  if (language === 'json') return [json(), linter(jsonParseLinter())]
  return []
}

function completionSource(options: NonNullable<CodeEditorProps['completions']>): CompletionSource {
  return (context: CompletionContext) => {
    const word = context.matchBefore(/[\w$.]*/)
    if (!word || (word.from === word.to && !context.explicit)) return null
    return { from: word.from, options: options.map((option) => ({ ...option, type: 'variable' })) }
  }
}

/** The editor itself, see `CodeEditor`. Tab indents; Escape, then Tab leaves the field (for keyboard users). */
export default function CodeMirrorEditor(props: CodeEditorProps) {
  const { value, language, label, readOnly = false, markers, completions, height = '320px' } = props
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView | null>(null)
  const onChange = useRef(props.onChange)
  const initial = useRef({ value, language, label, readOnly })
  const variable = useRef(new Compartment())
  useEffect(() => {
    onChange.current = props.onChange
  })

  useEffect(() => {
    if (!host.current) return undefined
    const start = initial.current
    const editor = new EditorView({
      parent: host.current,
      state: EditorState.create({
        doc: start.value,
        extensions: [
          basicSetup,
          keymap.of([indentWithTab]),
          lintGutter(),
          look,
          syntaxHighlighting(highlight),
          languageOf(start.language),
          variable.current.of([]),
          EditorView.contentAttributes.of({ 'aria-label': start.label, tabindex: '0' }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) onChange.current?.(update.state.doc.toString())
          }),
        ],
      }),
    })
    view.current = editor
    return () => {
      view.current = null
      editor.destroy()
    }
  }, [])

  useEffect(() => {
    view.current?.dispatch({
      effects: variable.current.reconfigure([
        EditorState.readOnly.of(readOnly),
        EditorView.editable.of(!readOnly),
        completions && language === 'javascript'
          ? javascriptLanguage.data.of({ autocomplete: completionSource(completions) })
          : autocompletion(),
      ]),
    })
  }, [readOnly, completions, language])

  useEffect(() => {
    const editor = view.current
    if (editor && editor.state.doc.toString() !== value) {
      editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } })
    }
  }, [value])

  useEffect(() => {
    const editor = view.current
    if (editor) {
      editor.dispatch(
        setDiagnostics(
          editor.state,
          (markers ?? []).map((marker) => diagnosticOf(editor.state.doc, marker)),
        ),
      )
    }
  }, [markers])

  return (
    <div ref={host} className={classes.editor} style={{ height }} data-read-only={readOnly || undefined} />
  )
}
