# Writes OUTPUT: a comment with the digest of each of FILES, for a source that has them in by .incbin.
set(text "")
foreach(file ${FILES})
  file(SHA256 ${file} digest)
  string(APPEND text "// ${digest}\n")
endforeach()
file(WRITE ${OUTPUT} "${text}")
