/** Chart colours of one mode; defined here and not in CSS because a canvas cannot use CSS variables. */
export interface ChartPalette {
  series: readonly string[]
  text: string
  dimmed: string
  line: string
  surface: string
  /** For lines and text. */
  warning: string
  /** For areas: brighter, never with text on them. */
  warningFill: string
  error: string
  accent: string
  track: string
}

export const lightPalette: ChartPalette = {
  series: ['#0b7285', '#c2410c', '#6741d9', '#2b8a3e', '#c2255c', '#1864ab', '#a16207', '#5f6a73'],
  text: '#1a2025',
  dimmed: '#5f6a73',
  line: '#e6e9ec',
  surface: '#ffffff',
  warning: '#975a00',
  warningFill: '#e69100',
  error: '#c02626',
  accent: '#0b7285',
  track: '#eef0f2',
}

export const darkPalette: ChartPalette = {
  series: ['#3bc9db', '#ff9a52', '#b197fc', '#69cf85', '#f893bb', '#74b8f5', '#e3c04b', '#a3adb5'],
  text: '#e1e6ea',
  dimmed: '#98a3ac',
  line: '#252b31',
  surface: '#191e22',
  warning: '#f2b654',
  warningFill: '#f2b654',
  error: '#ff8080',
  accent: '#3bc9db',
  track: '#22282d',
}
