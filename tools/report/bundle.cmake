# Bundles the charts in a copy of the sources, so that npm leaves nothing in the source tree. A machine that cannot fetch
# the packages still gets a program: the bundle is then empty, and the report has no charts.
file(MAKE_DIRECTORY ${WORK})
file(COPY ${SOURCE}/src ${SOURCE}/package.json ${SOURCE}/package-lock.json ${SOURCE}/.npmrc DESTINATION ${WORK})

function(npm)
  execute_process(COMMAND ${NPM} ${ARGN} WORKING_DIRECTORY ${WORK} RESULT_VARIABLE status TIMEOUT 900
                  OUTPUT_VARIABLE talk ERROR_VARIABLE talk)
  set(status ${status} PARENT_SCOPE)
  set(talk "${talk}" PARENT_SCOPE)
endfunction()

npm(ci --prefer-offline --fetch-retries=3 --fetch-timeout=120000)
if(status EQUAL 0)
  npm(run --silent build -- --outfile=${BUNDLE})
endif()
if(NOT status EQUAL 0)
  message(WARNING "the charts of the report could not be bundled (npm: ${status}); it is built without them\n${talk}")
  file(WRITE ${BUNDLE} "")
  execute_process(COMMAND touch -d 2000-01-01 ${BUNDLE})  # older than its sources: the next build tries again
endif()
