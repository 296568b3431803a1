import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

const PDF = join(import.meta.dirname, "node_modules", "pdfjs-dist");

/** What PDF.js asks for while it draws: tables of Chinese and Japanese encodings, and fonts a file only names. */
function pdfFiles(): Plugin {
  const folders: [string, (name: string) => boolean][] = [
    ["cmaps", (name) => name.endsWith(".bcmap")],
    ["standard_fonts", (name) => name.endsWith(".pfb") || name.endsWith(".ttf")],
    ["wasm", (name) => name.endsWith("_nowasm_fallback.js")],
  ];
  return {
    name: "pdf-files",
    apply: "build",
    generateBundle() {
      for (const [folder, isWanted] of folders) {
        for (const name of readdirSync(join(PDF, folder)).filter(isWanted)) {
          this.emitFile({
            type: "asset",
            fileName: `assets/pdf/${folder}/${name}`,
            source: readFileSync(join(PDF, folder, name)),
          });
        }
      }
    },
  };
}

export default defineConfig({
  plugins: [react(), pdfFiles()],
  build: {
    outDir: "../src/ingather/web/pages",
    emptyOutDir: true,
    chunkSizeWarningLimit: 900,
    // A file put into the page as data: would need more than the server's content policy allows.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { "/api": "http://127.0.0.1:8400" } },
});
